#!/bin/sh
# Makes the lock files anew from pyproject.toml: pins that still fit stay; `--upgrade` takes the newest. Commit them.
set -eu
cd "$(dirname "$0")/.."
export UV_SYSTEM_CERTS=1
# --no-emit-index-url: the files name packages and hashes, and no place to get them from.
compile="nice .venv/bin/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header $*"
$compile pyproject.toml -o requirements.lock
$compile pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock
$compile pyproject.toml --group dev --group engines -c requirements-dev.lock -o requirements-engines.lock
uv=$(sed -n -E 's/^requires = \["uv_build==(.*)"\]/uv==\1/p' pyproject.toml)
echo "$uv" | $compile - -o requirements-uv.lock
