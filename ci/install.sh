#!/bin/sh
# Installs the command `headgate` into a folder, with what planner and gate need and no more; again only after a change.
# usage: ci/install.sh FOLDER
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
lock=$source/requirements-light.lock

found=$(cd "$source" && find app planner ingest migrations tools/package -name '*.py' | sort | xargs cat pyproject.toml "$lock" | cksum)
if [ -x "$folder/bin/headgate" ] && [ "$(cat "$folder/installed" 2>/dev/null)" = "$found" ]; then
    exit 0
fi
if command -v uv >/dev/null; then
    uv venv --quiet --clear "$folder"
    uv pip install --quiet --python "$folder/bin/python" --require-hashes -r "$lock"
    uv pip install --quiet --python "$folder/bin/python" --no-deps "$source"
else
    "${PYTHON:-python3}" -m venv --clear "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$source"
fi
echo "$found" > "$folder/installed"
