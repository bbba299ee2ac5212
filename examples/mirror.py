"""Keeps a copy of a workspace's documents in SQLite, with Python's standard library alone.

    python3 examples/mirror.py COPY.sqlite [--once]        against the demo of `npm start`
    EXCHANGE_URL=... EXCHANGE_KEY=... WORKSPACE=... python3 examples/mirror.py COPY.sqlite

It may be killed at any moment and started again. --once ends it when nothing is new. A file follows one workspace: that of
WORKSPACE, or the newest one when it was made.
The table documents has id, type, parent_id, version_id, and body (JSON).
"""
import http.client
import json
import os
import re
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

API = os.environ.get("EXCHANGE_URL", "http://127.0.0.1:4000")
KEY = os.environ.get("EXCHANGE_KEY", "demo-client-key")
TYPES = [f"svc.inspection.{name}" for name in
         ("job", "qualityResult", "quantityResult", "timelog", "loadPortInformation", "specification")]


class Refused(Exception):
    def __init__(self, status, detail):
        super().__init__(f"{status}: {detail}")
        self.status = status


def get(address):
    """The JSON at an address, and that of the next page. Waits while the service cannot be reached, or asks to wait."""
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {KEY}"})
    pause = 1
    while True:
        try:
            with urllib.request.urlopen(request, timeout=90) as response:
                following = re.search(r'<([^>]+)>; rel="next"', response.headers.get("Link", ""))
                return json.load(response), following and urllib.parse.urljoin(address, following[1])
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise Refused(error.code, error.read().decode()) from None
            pause = int(error.headers.get("Retry-After", pause))
        except (OSError, http.client.HTTPException) as error:
            print(f"{error}; trying again in {pause} s", file=sys.stderr)
        time.sleep(pause)
        pause = min(2 * pause, 60)


def put(copy, document):
    row = [document[name] for name in ("id", "type", "parent_id", "version_id")] + [json.dumps(document["body"])]
    copy.execute("REPLACE INTO documents VALUES (?, ?, ?, ?, ?)", row)


def newest(base):
    return get(f"{base}/changes?after=newest")[0]["next"]


def read_all(copy, base):
    """First the place in the feed, then the lists: what changes meanwhile comes again with the feed."""
    place = newest(base)
    copy.execute("DELETE FROM documents")
    for kind in TYPES:
        page = f"{base}/documents?type={kind}&limit=1000"
        while page:
            documents, page = get(page)
            for document in documents:
                put(copy, document)
    return place


def follow(copy, base, place, wait):
    """Applies the changes after a place; returns the next place, and whether there were any."""
    page = get(f"{base}/changes?after={place}&limit=1000&wait={wait}&types={','.join(TYPES)}")[0]
    last = {change["document_id"]: change["kind"] for change in page["changes"]}
    for document, kind in last.items():
        try:
            if kind == "DELETED":
                raise Refused(404, "deleted")
            put(copy, get(f"{base}/documents/{document}")[0])
        except Refused as refused:
            if refused.status != 404:
                raise
            copy.execute("DELETE FROM documents WHERE id = ?", [document])
    return page["next"], bool(last)


def newest_workspace():
    found = get(f"{API}/v2/workspaces?limit=1")[0]
    if not found:
        sys.exit("There is no workspace yet that this key may see.")
    return found[0]["id"]


def main(file, once):
    copy = sqlite3.connect(file)
    with copy:
        copy.execute("CREATE TABLE IF NOT EXISTS documents (id TEXT PRIMARY KEY, type, parent_id, version_id, body)")
        copy.execute("CREATE TABLE IF NOT EXISTS place (workspace TEXT PRIMARY KEY, after TEXT)")
    followed, asked = copy.execute("SELECT workspace FROM place").fetchone(), os.environ.get("WORKSPACE")
    if followed and asked and asked != followed[0]:
        sys.exit(f"{file} is a copy of the workspace {followed[0]}: name another file for {asked}.")
    workspace = followed[0] if followed else asked or newest_workspace()
    base = f"{API}/v2/workspaces/{workspace}"
    while True:
        end = newest(base) if once else None
        with copy:  # documents and place are committed together
            found = copy.execute("SELECT after FROM place WHERE workspace = ?", [workspace]).fetchone()
            try:
                place, is_new = follow(copy, base, found[0], 0 if once else 30) if found else (read_all(copy, base), True)
            except Refused as refused:
                if refused.status != 410:
                    raise
                place, is_new = read_all(copy, base), True  # it was away for longer than changes are kept
            copy.execute("REPLACE INTO place VALUES (?, ?)", [workspace, place])
        if once and not is_new and int(place) >= int(end):  # a page may be empty before the end
            return


if __name__ == "__main__":
    names = [argument for argument in sys.argv[1:] if argument != "--once"]
    if len(names) != 1:
        sys.exit(__doc__)
    try:
        main(names[0], "--once" in sys.argv)
    except (Refused, KeyboardInterrupt) as reason:
        sys.exit(str(reason))
