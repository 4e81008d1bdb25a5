#!/bin/sh
# Backs the database of HEADGATE_DATABASE_URL up into BACKUP_FOLDER with `headgate backup`, every BACKUP_HOURS hours, and
# deletes backups that are older than BACKUP_KEEP_DAYS days. `--once` makes one and ends, with 1 if that failed.
set -eu
folder=${BACKUP_FOLDER:-/backups} hours=${BACKUP_HOURS:-24} days=${BACKUP_KEEP_DAYS:-14}
case "$hours.$days" in *[!0-9.]* | .* | *.) echo "BACKUP_HOURS and BACKUP_KEEP_DAYS must be whole numbers" >&2; exit 2 ;; esac
trap 'exit 0' TERM INT

back_up() {
    # Old ones are deleted only after a backup that succeeded: while backups fail, they stay.
    if headgate backup "$folder/headgate-$(date -u +%Y%m%dT%H%M%SZ).dump"; then
        find "$folder" -name 'headgate-*.dump' -mmin "+$((days * 1440))" -delete
    else
        echo "the backup failed: older ones stay" >&2
        return 1
    fi
}

if [ "${1:-}" = --once ]; then
    back_up
    exit
fi
while :; do
    back_up || true
    sleep "$((hours * 3600))" &
    wait $!
done
