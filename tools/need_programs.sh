#!/bin/sh
# Makes sure that programs and shared libraries of the system are there: installs Debian's packages where it may.
# usage: tools/need_programs.sh PROGRAM... LIBRARY=PACKAGE...
#   PROGRAM            has the name of its package
#   LIBRARY=PACKAGE    a shared library that a Python package loads, on Linux, and the package that has it
set -eu

has_library() {
    [ "$(uname)" != Linux ] || ! command -v python3 >/dev/null ||
        python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null
}

missing=
for needed in "$@"; do
    case "$needed" in
        *=*) has_library "${needed%%=*}" || missing="$missing ${needed#*=}" ;;
        *) command -v "$needed" >/dev/null || missing="$missing $needed" ;;
    esac
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
