#!/bin/sh
# Installs into .venv the packages of a lock file; does nothing if they are installed already.
# usage: tools/setup.sh requirements-serve.lock | requirements.lock | requirements-dev.lock | requirements-engines.lock |
#        requirements-bench.lock
set -eu
cd "$(dirname "$0")/.."
lock=$1

die() {
    echo "headgate: $*" >&2
    exit 1
}

# Identifies what the environment was made from: its folder (scripts in it name the folder), the packages, the installer.
fingerprint() {
    pwd
    cat pyproject.toml tools/build_backend.py requirements-uv.lock "$1"
}

is_installed() {
    [ -x .venv/bin/headgate ] && [ -x .venv/bin/python ] && fingerprint "$1" | cmp -s - ".venv/$1.installed"
}

version_of() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

check_python() {
    found=$(version_of "$1") || die "there is no working $1 here: install Python 3.11 or newer, or name one: PYTHON=/path/to/python3 make setup"
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "$1 is Python $found, and Headgate needs 3.11 or newer: name another one: PYTHON=python3.12 make setup"
    "$1" -c 'import venv, ensurepip' 2>/dev/null ||
        die "$1 cannot make virtual environments: on Debian and Ubuntu, apt-get install python$found-venv, then run make again"
}

# Whether PYTHON names another version of Python than the environment has.
is_other_python() {
    [ -n "${PYTHON:-}" ] && [ "$(version_of "$PYTHON")" != "$(version_of .venv/bin/python)" ]
}

if is_installed "$lock" && ! is_other_python; then
    exit 0
fi

if ! [ -x .venv/bin/python ] || is_other_python || [ "$(cat .venv/place 2>/dev/null)" != "$(pwd)" ]; then
    check_python "${PYTHON:-python3}"
    echo "headgate: making the environment .venv ..."
    "${PYTHON:-python3}" -m venv --clear .venv || die "cannot make .venv in $(pwd): see the lines above"
    pwd > .venv/place
fi

# Each of these locks holds all of those before it, in the same versions.
list_smaller() {
    for one in requirements-serve.lock requirements.lock requirements-dev.lock requirements-engines.lock \
        requirements-bench.lock; do
        echo "$one"
        [ "$one" != "$1" ] || return 0
    done
}

estimate_size() {
    case "$1" in
        requirements-serve.lock) echo "0.6 GB" ;;
        requirements.lock) echo "1.4 GB" ;;
        requirements-dev.lock) echo "2 GB" ;;
        requirements-engines.lock) echo "2.4 GB" ;;
        *) echo "2.5 GB" ;;
    esac
}

# Runs a command, and shows that time passes: uv draws its own progress in a terminal; elsewhere, a line every 10 s.
run_with_progress() {
    if [ -t 2 ]; then
        "$@"
        return
    fi
    (
        seconds=0
        while sleep 10 >/dev/null 2>&1; do
            seconds=$((seconds + 10))
            echo "headgate: still installing after $seconds s ..."
        done
    ) &
    ticker=$!
    failed=0
    UV_NO_PROGRESS=1 "$@" --quiet || failed=$?
    kill "$ticker" 2>/dev/null || true
    return "$failed"
}

# uv ignores pip's configuration and the system's certificates unless it is told of them.
export UV_SYSTEM_CERTS=1
index=$(.venv/bin/python -m pip config list | sed -n -E "s/^(global|install|:env:)\.index-url='(.*)'$/\2/p" | tail -n 1)
if [ -n "$index" ]; then
    export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"
fi

echo "headgate: installing what $lock names into .venv (about $(estimate_size "$lock")) ..."
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
# The lock names all packages. Without these options uv would put the overrides of pyproject.toml in place of its versions,
# and a package released today would be installed, or refused for its unknown hash.
run_with_progress .venv/bin/uv pip install --no-config --no-deps --require-hashes -r "$lock"
.venv/bin/uv pip install --quiet --no-deps -e .
if [ "$lock" = requirements-serve.lock ]; then
    for packages in .venv/lib/python*/site-packages; do
        [ ! -d "$packages" ] || sh tools/trim.sh "$packages"
    done
    # The installer is larger than most of what it installed; a larger lock fetches it again.
    .venv/bin/python -m pip uninstall -qq --yes --disable-pip-version-check uv setuptools
fi
echo "headgate: compiling what simulations need, once (some ten seconds) ..."
.venv/bin/python -c 'from planner.simulation.simulate import warm_up; warm_up()' ||
    echo "headgate: it could not be compiled now, and will be when it is needed: see the lines above" >&2
for one in $(list_smaller "$lock"); do
    fingerprint "$one" > ".venv/$one.installed"
done
