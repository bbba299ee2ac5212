#!/usr/bin/env bash
# A whole inspection through the legacy REST paths alone, as an inspection company's system plays it: a discharge at
# Rotterdam, from the job to its completion. The last line is the job's id, for inspection.graphql beside this file.
#
#   examples/inspection.sh                                                         against the demo of `npm start`
#   EXCHANGE_URL=… VENDOR_KEY=… CLIENT_KEY=… WORKSPACE=… examples/inspection.sh    against another service
set -euo pipefail

url=${EXCHANGE_URL:-http://127.0.0.1:4000}
VENDOR_KEY=${VENDOR_KEY:-demo-vendor-key} # the inspection company, which this script stands for
CLIENT_KEY=${CLIENT_KEY:-demo-client-key} # the cargo owner, who orders the job and asks for a retest

say() { printf '%s\n' "$*" >&2; }
# ask KEY METHOD PATH [BODY]: prints the response; an error ends the script, and its problem document is shown.
ask() {
  local key=$1 method=$2 path=$3 response
  shift 3
  response=$(curl -sS --fail-with-body -X "$method" -H "Authorization: Bearer $key" \
    ${1:+-H 'Content-Type: application/json' -d "$1"} "$url$path") || { say "$method $path: $response"; return 1; }
  printf '%s\n' "$response"
}
vendor() { ask "$VENDOR_KEY" "$@"; }
client() { ask "$CLIENT_KEY" "$@"; }
# The id of a response {"id":…,"body":…}, or of the first in a list of them.
id() { sed -E 's/^\[?\{"id":"([^"]+)".*/\1/'; }
count() { grep -o '{"id":"' | wc -l | tr -d ' '; }

workspace=${WORKSPACE:-$(vendor GET '/workspaces?limit=1' | id)}
jobs=/workspaces/$workspace/jobs
number=INS-$(date +%s)-$$

say "1. The cargo owner orders the inspection $number."
client POST "$jobs" '{
  "refNumber": "'"$number"'", "tripNumber": "V-118", "status": "pending", "activity": "discharge",
  "eta": "2026-05-01T06:00:00Z", "etc": "2026-05-03T18:00:00Z",
  "location": {"xref": "NLRTM", "name": "Rotterdam"},
  "transports": [{"xref": "9074729", "name": "MT Petrel"}],
  "cargo": {"product": {"name": "Gas oil 0.1%"}, "quantity": 30000, "uom": {"name": "MT"}},
  "requested": {"quality": true, "quantity": true, "timelog": true}
}' > /dev/null

say '2. The inspection company finds the order, and takes it up.'
job=$(vendor GET "$jobs?refNumber=$number&status=pending" | id)
vendor PATCH "$jobs/$job" '{"status": "active", "xref": "HS-2041"}' > /dev/null

say '3. The time log: fifteen events.'
event() { # event CODE NAME START END [CATEGORY [NOTES]]
  vendor POST "$jobs/$job/timelog" '{
    "type": {"xref": "'"$1"'", "name": "'"$2"'"}, "category": "'"${5:-event}"'",
    "start": "2026-05-'"$3"':00Z", "end": "2026-05-'"$4"':00Z", "notes": "'"${6:-}"'"
  }' > /dev/null
}
event EOSP 'End of sea passage'        01T05:30 01T05:30
event NOR  'Notice of readiness'       01T06:00 01T06:05
event ANCH 'At anchor'                 01T06:10 01T09:40 delay 'Waiting for the berth'
event POB  'Pilot on board'            01T09:50 01T11:55
event AF   'All fast'                  01T12:00 01T12:00
event GANG 'Gangway down'              01T12:20 01T12:20
event KEY  'Key meeting'               01T12:30 01T13:00
event TANK 'Tank inspection'           01T13:00 01T14:30
event SAMP 'Sampling'                  01T14:30 01T15:30
event HOSE 'Hoses connected'           01T15:45 01T16:15
event DISC 'Discharge'                 01T16:40 02T20:10
event STOP 'Discharge stopped'         02T02:00 02T03:15 delay 'Shore tank changed'
event DRY  'Tanks dry'                 02T20:30 02T21:40
event HOFF 'Hoses disconnected'        02T22:00 02T22:20
event DOC  'Documents on board'        02T23:00 02T23:30

say '4. What was loaded, by the bill of lading.'
vendor POST "$jobs/$job/load-port-information" '{
  "billOfLadingDate": "2026-04-20", "portOfLoading": {"name": "Ras Tanura"},
  "measurements": [{"code": "BL", "name": "GSV", "uom": {"name": "m3"}, "value": 35480.2}]
}' > /dev/null

say '5. The quantities: the vessel is the source of a discharge, the shore its destination.'
quantity() { # quantity DIRECTION GSV TCV TEMPERATURE
  vendor POST "$jobs/$job/quantity" '{
    "direction": "'"$1"'", "date": "2026-05-02T22:00:00Z", "density15c": 0.8453, "densityMethod": "ASTM D4052",
    "measurements": [
      {"name": "GSV", "uom": {"name": "m3"}, "value": '"$2"'}, {"name": "TCV", "uom": {"name": "m3"}, "value": '"$3"'}
    ],
    "meanTemp": {"value": '"$4"', "uom": {"name": "C"}}, "vcfTable": {"name": "54B"}, "api": 35.8, "waterPerc": 0.02
  }' > /dev/null
}
quantity source 35461.8 35469.0 17.5
quantity destination 35442.1 35449.3 16.9

say '6. The first sample. Its sulfur is off specification.'
quality() { # quality SET NUMBER TEST METHOD UNIT RESULT OFF_SPEC; prints the id
  vendor POST "$jobs/$job/quality" '{
    "status": "preliminary", "setNumber": '"$1"', "testNumber": '"$2"', "date": "2026-05-01T18:00:00Z",
    "sample": {"refNumber": "S-'"$1"'", "description": "Ship composite", "sealNumber": "7701'"$1"'", "location": "SHIP"},
    "test": {"name": "'"$3"'"}, "method": {"name": "'"$4"'"}, "uom": {"name": "'"$5"'"},
    "resultOperator": "eq", "result": "'"$6"'", "isPerformed": true, "isOffSpec": '"$7"'
  }' | id
}
density=$(quality 1 1 'Density at 15 °C' 'ASTM D4052' kg/m3 845.3 false)
flash=$(quality 1 2 'Flash point' 'ASTM D93' C 66.5 false)
sulfur=$(quality 1 3 'Sulfur' 'ASTM D4294' mg/kg 1080 true)

say '7. The cargo owner asks for a retest, which is made on a second sample.'
client PATCH "$jobs/$job/quality/$sulfur" '{"isRetestNeeded": true}' > /dev/null
wanted=$(vendor GET "$jobs/$job/quality?isRetestNeeded=true" | id)
[ "$wanted" = "$sulfur" ]
retest=$(quality 2 1 'Sulfur' 'ASTM D4294' mg/kg 962 false)
vendor PATCH "$jobs/$job/quality/$wanted" '{"isRetestNeeded": false, "notes": "Replaced by the second sample"}' > /dev/null
for result in "$density" "$flash" "$retest"; do
  vendor PATCH "$jobs/$job/quality/$result" '{"status": "confirmed", "isPassed": true, "coaId": "COA-2041"}' > /dev/null
done

say "8. The laboratory's name of the test is the same as the owner's."
tests=/workspaces/$workspace/catalogs/tests
ours=$(vendor GET "$jobs/$job/quality/$sulfur" | sed -E 's/.*"test":"([^"]+)".*/\1/')
theirs=$(client GET "$tests?name=Sulphur%20content" | id)
[ "$theirs" != '[]' ] || theirs=$(client POST "$tests" '{"name": "Sulphur content"}' | id)
vendor POST "$tests/$ours/synonyms/$theirs" > /dev/null

say '9. The certificate of quality, as a file.'
printf 'Certificate of quality COA-2041 for %s\n' "$number" |
  curl -sS --fail-with-body -H "Authorization: Bearer $VENDOR_KEY" \
    -F 'file=@-;filename=certificate-of-quality.txt;type=text/plain' "$url$jobs/$job/files" > /dev/null

say '10. The inspection is complete.'
vendor PATCH "$jobs/$job" '{"status": "complete"}' > /dev/null

for noun in timelog load-port-information quantity quality files; do
  say "    $noun: $(client GET "$jobs/$job/$noun" | count)"
done
echo "$job"
