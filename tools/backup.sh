#!/bin/sh
# Dumps the database that PGHOST, PGUSER, PGPASSWORD and PGDATABASE name into BACKUP_FOLDER, every BACKUP_HOURS hours, and
# deletes dumps that are older than BACKUP_KEEP_DAYS days. `--once` dumps once and ends, with 1 if that failed.
set -eu
folder=${BACKUP_FOLDER:-/backups} hours=${BACKUP_HOURS:-24} days=${BACKUP_KEEP_DAYS:-14}
case "$hours.$days" in *[!0-9.]* | .* | *.) echo "BACKUP_HOURS and BACKUP_KEEP_DAYS must be whole numbers" >&2; exit 2 ;; esac
trap 'exit 0' TERM INT

dump() {
    name=$folder/headgate-$(date -u +%Y%m%dT%H%M%SZ).dump
    # Under another name until it is whole: whoever copies the folder finds no half of a dump.
    if pg_dump --format=custom --file="$name.part" && mv "$name.part" "$name"; then
        echo "wrote $name"
        # Only now: while dumps fail, the old ones stay.
        find "$folder" -name 'headgate-*.dump' -mmin "+$((days * 1440))" -delete
    else
        rm -f "$name.part"
        echo "the dump failed: $name is not written" >&2
        return 1
    fi
}

if [ "${1:-}" = --once ]; then
    dump
    exit
fi
while :; do
    dump || true
    sleep "$((hours * 3600))" &
    wait $!
done
