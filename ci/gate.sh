#!/bin/sh
# Runs `headgate gate`, writes its report as a comment on the change, and ends as the gate does: 0 pass, 1 short, 2 no verdict.
# usage: ci/gate.sh FOLDER ARGUMENT...     FOLDER keeps the installation; cache it between jobs
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
sh "$here/install.sh" "$folder" || exit 2
report=$folder/report.md
rm -f "$report"
code=0
"$folder/bin/headgate" gate "$@" --report "$report" || code=$?
if [ -s "$report" ]; then
    "$folder/bin/python" "$here/comment.py" "$report" || echo "headgate: the verdict stands, without a comment" >&2
fi
exit "$code"
