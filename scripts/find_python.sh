#!/usr/bin/env bash
# Prints the path of a Python that is new enough, or, with --explain, says that there is none.
set -euo pipefail

if [[ ${1:-} == --explain ]]; then
    echo "Python 3.11 or newer is needed and was not found." >&2
    echo "Install it, or name one: make PYTHON=/path/to/python3.13" >&2
    exit 1
fi

for name in python3 python3.13 python3.12 python3.11 python3.14; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        "$name" -c 'import sys; print(sys.executable)'
        exit
    fi
done
