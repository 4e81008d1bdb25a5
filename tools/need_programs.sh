#!/bin/sh
# Sees to it that programs of the system are there: installs Debian's packages of the same name, where it may.
# usage: tools/need_programs.sh PROGRAM...
set -eu

missing=
for program in "$@"; do
    command -v "$program" >/dev/null || missing="$missing $program"
done
# Debian keeps a part of Python's own library in a package apart; `make test` on an empty machine needs it as well.
if command -v apt-get >/dev/null && [ -z "${PYTHON:-}" ] && ! [ -x .venv/bin/python ]; then
    python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root=sudo
else
    as_root=impossible
fi
if [ "$as_root" = impossible ] || ! command -v apt-get >/dev/null; then
    echo "headgate: this needs$missing: install that with your system's package manager, then run make again" >&2
    exit 1
fi

echo "headgate: installing$missing ..."
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
