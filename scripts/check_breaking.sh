#!/usr/bin/env bash
# Compares the API with the last release, or, before the first one, with the commit that froze v1
# (the one that gave buf.yaml its "breaking" rules). Works offline, from git's own objects.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "not a git clone: nothing to compare the API with"
    exit
fi
base=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null ||
    git log --format=%h --reverse -S'breaking:' -- proto/buf.yaml | head -n 1)
if [[ -z $base ]]; then
    echo "API v1 is not frozen yet: no earlier version to compare with"
    exit
fi

earlier=$(mktemp -d)
trap 'rm -rf "$earlier"' EXIT
git archive "$base" proto | tar -x -C "$earlier"
buf breaking proto --against "$earlier/proto"
echo "API is compatible with $base"
