#!/usr/bin/env bash
# Train and decode on a GPU in half precision and print tokens per second: under five minutes after `make mt`.
# Where there is no GPU it says why it skips, and exits with 0. Arguments go to measure.py (--help lists them).
set -euo pipefail
cd "$(dirname "$0")/../.."

python=""
for candidate in .venv/bin/python "${FAIRSEQ_PYTHON:-.venv-mt/bin/python}"; do
  if [ -x "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python="$candidate"
    break
  fi
done
if [ -z "$python" ]; then
  echo "skipped: neither .venv nor .venv-mt is there (make install, make mt)"
  exit 0
fi
exec "$python" -m tests.gpu.measure "$@"
