# The front door. `make` alone lists what there is.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PARALLEL := -n auto --dist worksteal
CATALOGUES := templates/locale/*/LC_MESSAGES/django.po
MT := .venv-mt
MT_PYTHON ?= $(shell for p in python3.11 python3.12 $(PYTHON) python3.10; do "$$p" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null && { echo "$$p"; break; }; done)
MT_PIP = $(MT)/bin/python -m pip --disable-pip-version-check --quiet install $(MT_PIP_ARGS)
CODE := evalplatform annotation mtcore tests manage.py

export OPENBLAS_NUM_THREADS ?= 1
# What hundreds of processes import is compiled once, not once in each.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install demo mt mt-check test test-long check lint types contracts migrations bench screenshots lock messages clean

help: ## list what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else "Python 3.11, 3.12 or 3.13 is needed; this is %d.%d. Name another: make PYTHON=python3.12" % v)'
	@$(PYTHON) -m venv $(VENV) || { echo "python3-venv is missing: install it (Debian: apt-get install python3-venv)"; rm -rf $(VENV); exit 1; }
	@touch $@

$(VENV)/.platform: $(VENV)/.made requirements.txt
	@echo "installing the platform's packages"
	@$(PIP) install --require-hashes -r requirements.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.platform requirements-dev.txt
	@echo "installing what tests and checks need"
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@

install: $(VENV)/.platform ## make .venv with the platform's packages

$(MT)/.made:
	@[ -n "$(MT_PYTHON)" ] || { echo "training needs Python 3.10, 3.11 or 3.12, and none was found. Install one and name it: make mt MT_PYTHON=/path/to/python3.12 (the platform itself runs without)"; exit 1; }
	@"$(MT_PYTHON)" -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 10) <= v <= (3, 12) else "training needs Python 3.10, 3.11 or 3.12; $(MT_PYTHON) is %d.%d. Name another: make mt MT_PYTHON=python3.12" % v)'
	@"$(MT_PYTHON)" -m venv $(MT) || { echo "python3-venv is missing for $(MT_PYTHON): install it (Debian: apt-get install python3-venv)"; rm -rf $(MT); exit 1; }
	@touch $@

$(MT)/.packages: $(MT)/.made requirements-mt.txt
	@echo "installing the training stack (several GB with CUDA; MT_PIP_ARGS goes to pip, say for an index of CPU builds)"
	@$(MT_PIP) -r requirements-mt.txt
	@touch $@

$(MT)/.ready: $(MT)/.packages requirements-mt-bare.txt
	@$(MT_PIP) --no-deps -r requirements-mt-bare.txt || { echo "fairseq is compiled here: a C++ compiler and $(MT_PYTHON)'s headers are needed (Debian: apt-get install g++ python3-dev); then make mt again"; exit 1; }
	@touch $@

mt: $(MT)/.ready ## make .venv-mt, which trains and decodes (MT_PYTHON names a Python 3.10-3.12)

mt-check: install ## say what can train and decode here
	@$(BIN)/python manage.py mt_check

demo: install ## load the demo study, print results and links, serve on 127.0.0.1:8000 until stopped
	@$(BIN)/python manage.py demo

test: $(VENV)/.dev ## run the whole suite (what needs an absent service or device skips with its reason)
	@$(BIN)/python -m pytest -m "not long" $(PARALLEL)
	@url=$$($(BIN)/python -m tests.reachable postgres); \
	if [ -n "$$url" ]; then echo "database suite again, on PostgreSQL"; DATABASE_URL=$$url $(BIN)/python -m pytest tests/db -m "not long and not process" $(PARALLEL); \
	else echo "skipped: the database suite on PostgreSQL (no server answers on 127.0.0.1:5432)"; fi

test-long: $(VENV)/.dev ## also what takes long: calibration, many seeds
	@$(BIN)/python -m pytest $(PARALLEL)

lint: $(VENV)/.dev
	@$(BIN)/ruff format --check $(CODE)
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/bandit --quiet --configfile pyproject.toml --recursive evalplatform annotation mtcore manage.py

types: $(VENV)/.dev
	@$(BIN)/mypy evalplatform annotation mtcore

contracts: $(VENV)/.dev
	@$(BIN)/lint-imports --no-cache

migrations: $(VENV)/.dev
	@$(BIN)/python manage.py makemigrations --check --dry-run

check: lint types contracts migrations test ## format, lint, types, import contracts, migrations, tests

bench: $(VENV)/.dev ## measure ratios side by side and write docs/benchmarks.md
	@$(BIN)/python -m tests.bench

screenshots: $(VENV)/.dev ## make the pictures of the README and the guides from the demo study
	@$(BIN)/python -m tests.screenshots

lock: ## pin requirements*.in (needs uv)
	@uv pip compile --universal --python-version 3.10 --no-annotate --no-emit-index-url --quiet requirements-mt.in -o requirements-mt.txt
	@sed -i -E '/^(nvidia-|cuda-|triton=)/d' requirements-mt.txt
	@for f in requirements requirements-dev; do uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet $$f.in -o $$f.txt; done

messages: $(VENV)/.dev ## collect the sentences to translate, keep their translations, compile them (needs gettext)
	@$(BIN)/python manage.py makemessages --all --no-location --no-wrap --no-obsolete --ignore data --ignore tests
	@sed -i '/^"POT-Creation-Date:/d' $(CATALOGUES)
	@for file in $(CATALOGUES); do msgfmt --check --output-file="$${file%.po}.mo" "$$file" || exit 1; done

clean: ## remove caches and environments (never the data)
	@rm -rf $(VENV) $(MT) .mypy_cache .ruff_cache .pytest_cache .hypothesis
