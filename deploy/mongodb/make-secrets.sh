#!/usr/bin/env bash
# Makes what the members and the gateway prove themselves with, once: a key file, a password, and the address with it.
set -euo pipefail
folder=${1:-/run/mongodb}
hosts=${2:-mongodb-1:27017,mongodb-2:27017,mongodb-3:27017}
umask 077
if [ -e "$folder/uri" ]; then
  echo "The secrets in $folder are there."
  exit 0
fi
random() { head -c "$1" /dev/urandom | base64 | tr -d '\n=+/'; }
random 512 >"$folder/keyfile"
random 32 >"$folder/password"
printf 'mongodb://exchange:%s@%s/?replicaSet=rs0&authSource=admin' "$(cat "$folder/password")" "$hosts" >"$folder/uri.draft"
chmod 0400 "$folder/keyfile" "$folder/password" "$folder/uri.draft"
if [ "$(id -u)" -eq 0 ]; then
  chown 999:999 "$folder/keyfile" "$folder/password" # mongodb, in its image
  chown 65532:65532 "$folder/uri.draft"              # the gateway
fi
chmod 0755 "$folder"
mv "$folder/uri.draft" "$folder/uri"
echo "Made the secrets in $folder."
