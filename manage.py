#!/usr/bin/env python
"""Run the platform's commands."""

import sys


def main() -> None:
    """Hand the command line to Django; a user's mistake is one line and exit code 1."""
    from evalplatform.env import use_settings

    use_settings()
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit(
            f"{error}. The platform's packages are missing: run `make install`, then use .venv/bin/python."
        ) from error
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
