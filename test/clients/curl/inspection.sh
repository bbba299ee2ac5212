#!/usr/bin/env bash
# An inspection by curl, with its defaults. What was seen is printed as one JSON object.
set -euo pipefail
url=$EXCHANGE_URL
key='Authorization: Bearer demo-client-key'
json='Content-Type: application/json'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seen=''

# note NAME VALUE: a fact for the report; numbers and truth values are given bare
note() { seen+="${seen:+,}\"$1\":$2"; }
# send ARGUMENT…: the status; head and body are left in $work/head and $work/body
send() { curl --silent --show-error --dump-header "$work/head" --output "$work/body" --write-out '%{http_code}' "$@"; }
member() { sed -nE "s/.*\"$1\":\"([^\"]*)\".*/\1/p" "$work/body"; }
header() { tr -d '\r' <"$work/head" | sed -nE "s/^$1: (.*)/\1/Ip" | tail -n 1; }
sha256_of() { curl --silent --fail -H "$key" "$url$1" | sha256sum | cut -d ' ' -f 1; }
first_id() { sed -nE 's/^\{"id":"([^"]*)".*/\1/p' "$work/body"; }

note signIn "$(send -c "$work/cookies" -H "$json" -d '{"username":"client@demo.example","password":"demo-password"}' "$url/api/rest/1.0/session")"
send -b "$work/cookies" "$url/api/rest/1.0/session" >/dev/null
note username "\"$(member username)\""
port="$url/api/rest/1.0/ports/$(sed -e 's|/|%2F|g; s| |%20|g' <<<"$MARK")"
note port "$(send -b "$work/cookies" -X PUT -H "$json" --data-binary "@$BODIES/port.json" "$port")"
send -b "$work/cookies" "$port" >/dev/null
note portName "\"$(member name)\""

note dataApiJob "$(send -H "$key" -H "$json" -H 'Accept-Version: 1.0' --data-binary "@$BODIES/data-api-job.json" "$url/bridge/v1/data/jobs")"
jobs="$url/workspaces/$WORKSPACE/jobs"
once=(-H "$key" -H "$json" -H "Idempotency-Key: $MARK" --data-binary "@$BODIES/job.json" "$jobs")
note legacyJob "$(send "${once[@]}")"
job=$(first_id)
note again "$(send "${once[@]}")"
note sameId "$([ "$job" = "$(first_id)" ] && echo true || echo false)"
note replayed "\"$(header Idempotency-Replayed)\""
note v2Job "$(send -H "$key" -H "$json" --data-binary "@$BODIES/document.json" "$url/v2/workspaces/$WORKSPACE/documents")"
at=$(header Location)
send --compressed -H "$key" "$url$at" >/dev/null
note notes "\"$(member notes)\""
note encoding "\"$(header Content-Encoding)\""
tag=$(header ETag)

note list "$(send --location -H "$key" "$jobs/?refNumber=KST-2042")"
note listed "$(grep -q '"refNumber":"KST-2042"' "$work/body" && echo true || echo false)"
# Two addresses in one call share a connection; what is printed is how many were opened for the second.
note opened "$(curl --silent -H "$key" -o "$work/1" "$url$at" -o "$work/2" "$url$at" -w '%{num_connects}\n' | tail -n 1)"
note redirects "$(send --location -H "$key" -w '%{num_redirects}' "$jobs/" | tail -c 1)"

note notModified "$(send -H "$key" -H "If-None-Match: $tag" "$url$at")"
patch=(-X PATCH -H "$key" -H "$json" -H "If-Match: $tag" -d '{"body":{"status":"active"}}' "$url$at")
note changed "$(send "${patch[@]}")"
note stale "$(send "${patch[@]}")"

files=/workspaces/$WORKSPACE/jobs/$job/files
note file "$(send -H "$key" -F "file=@$FILE;filename=certificate.bin" "$url$files")"
note fileSha256 "\"$(sha256_of "$files/$(first_id)/content")\""
# From a pipe, so that curl knows no length: chunks, and Expect: 100-continue.
stream() { send -H "$key" -H 'Expect: 100-continue' -F 'file=@-;filename=certificate.bin' "$1" < <(cat "$FILE"); }
note attachment "$(stream "$url$at/attachments")"
note attachmentSha256 "\"$(sha256_of "$(header Location)/content")\""
note refused "$(stream "$url/v2/workspaces/$WORKSPACE/documents/$WORKSPACE/attachments")"

echo "{$seen}"
