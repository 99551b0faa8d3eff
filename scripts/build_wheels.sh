#!/usr/bin/env bash
# Builds the five wheels: build_wheels.sh PYTHON FOLDER. Then proves that they install and start in
# a new environment that has no Rust.
set -euo pipefail

python=$1
dist=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/.."

rm -f "$dist"/ginrummy_*.whl
for package in proto clients/python clients/cli clients/loadtest .; do
    "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$dist" "./$package"
done

trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
"$python" -m venv "$trial/venv"
# Neither cargo nor this folder is in reach of what runs here, and nothing may be compiled.
without_rust() (cd "$trial" && env -u PYTHONPATH PATH="$trial/venv/bin" "$@")
without_rust python -m pip --disable-pip-version-check install --quiet --only-binary :all: \
    --constraint "$PWD/constraints.txt" "$dist"/ginrummy_*.whl
without_rust ginrummy-server --version
without_rust ginrummy --help >/dev/null
without_rust ginrummy-load --help >/dev/null

echo "in ${dist#"$PWD"/}:"
ls "$dist"
