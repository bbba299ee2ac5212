#!/usr/bin/env bash
# Makes what the members, the gateway and operators prove themselves with: a key file, and for the gateway and operators a password
# each and the address with it. What is there stays. Arguments: the folder, the members, and further options of the addresses.
set -euo pipefail
folder=${1:-/run/mongodb}
hosts=${2:-mongodb-1:27017,mongodb-2:27017,mongodb-3:27017}
options=${3:+&$3}
umask 077
mkdir -p "$folder"
made=()

# keep NAME OWNER: a file of what comes in, which nobody else can read
keep() {
  if [ -e "$folder/$1" ]; then return; fi
  cat >"$folder/$1.draft"
  chmod 0400 "$folder/$1.draft"
  if [ "$(id -u)" -eq 0 ]; then chown "$2:$2" "$folder/$1.draft"; fi
  mv "$folder/$1.draft" "$folder/$1"
  made+=("$1")
}
random() { head -c "$1" /dev/urandom | base64 | tr -d '\n=+/'; }
address() { printf 'mongodb://%s:%s@%s/?replicaSet=rs0&authSource=admin%s' "$1" "$(cat "$folder/$2")" "$hosts" "$options"; }

members=999 # mongodb, in its image
gateway=65532
keep keyfile $members < <(random 512)
keep password $members < <(random 32)
keep uri $gateway < <(address exchange password)
keep admin-password $members < <(random 32)
keep admin-uri $members < <(address admin admin-password)
chmod 0755 "$folder"
if [ ${#made[@]} -eq 0 ]; then echo "The secrets in $folder are there."; else echo "Made the secrets in $folder: ${made[*]}."; fi
