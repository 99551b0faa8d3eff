#!/usr/bin/env bash
# Says how to install Rust where it is missing or too old.
set -euo pipefail

needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")
if found=$(rustc --version 2>/dev/null | cut -d' ' -f2) && cargo --version >/dev/null 2>&1; then
    oldest=$(printf '%s\n' "$needed" "$found" | sort -V | head -n 1)
    [[ $oldest == "$needed" ]] && exit
    echo "Rust $needed or newer is needed to build the engine; this is $found." >&2
else
    echo "Rust $needed or newer is needed to build the engine and was not found." >&2
fi
cat >&2 <<'END'
Install it for your user with

    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh

and open a new terminal. The rustc of a Linux distribution is often too old.
END
exit 1
