#!/bin/sh
# Makes the lock files anew from pyproject.toml: pins that still fit stay; `--upgrade` takes the newest. Commit them.
set -eu
cd "$(dirname "$0")/.."
export UV_SYSTEM_CERTS=1
# An environment that only serves has no installer any more.
[ -x .venv/bin/uv ] || .venv/bin/python -m pip install --quiet --require-hashes -r requirements-uv.lock
# --no-emit-index-url: the files name packages and hashes, and no place to get them from.
compile="nice .venv/bin/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header $*"
# One resolution: requirements.lock has every part of Headgate, and the others are a part of it, or it and more.
$compile pyproject.toml --all-extras -o requirements.lock
$compile pyproject.toml --extra service --extra embedded --extra pictures -c requirements.lock -o requirements-serve.lock
$compile pyproject.toml -c requirements.lock -o requirements-light.lock
$compile pyproject.toml --all-extras --group dev -c requirements.lock -o requirements-dev.lock
$compile pyproject.toml --all-extras --group dev --group engines -c requirements-dev.lock -o requirements-engines.lock
$compile pyproject.toml --all-extras --group dev --group engines --group bench -c requirements-engines.lock -o requirements-bench.lock
$compile --group installer -o requirements-uv.lock
