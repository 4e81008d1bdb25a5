#!/bin/sh
# Removes from a site-packages folder what serving never loads: the tests of large packages, and symbols for debuggers.
# usage: tools/trim.sh FOLDER
set -eu
cd "$1"
for one in matplotlib numba numpy pandas scipy statsmodels; do
    [ ! -d "$one" ] || find "$one" -type d -name tests -prune -exec rm -rf {} +
done
command -v strip > /dev/null 2>&1 || exit 0
# Into a new file: the installed one may be a link to that of the installer's cache.
for folder in llvmlite/binding uvloop kiwisolver fontTools/misc PIL; do
    for library in "$folder"/*.so; do
        [ -f "$library" ] || continue
        if strip --strip-unneeded -o "$library.new" "$library" 2> /dev/null; then
            mv "$library.new" "$library"
        else
            rm -f "$library.new"
        fi
    done
done
