"""An inspection by any library whose client has get, post, put, patch and cookies, as requests and httpx have."""

import hashlib
import json
import os
from urllib.parse import quote

base, workspace, file = os.environ["EXCHANGE_URL"], os.environ["WORKSPACE"], os.environ["FILE"]
mark, bodies = os.environ["MARK"], os.environ["BODIES"]
key = {"Authorization": "Bearer demo-client-key"}


def body(name):
    with open(f"{bodies}/{name}.json", encoding="utf-8") as source:
        return json.load(source)


def chunks():
    yield b'--sea\r\nContent-Disposition: form-data; name="file"; filename="certificate.bin"\r\n\r\n'
    with open(file, "rb") as source:
        while chunk := source.read(65536):
            yield chunk
    yield b"\r\n--sea--\r\n"


def inspect(client, *, send_chunks, receive_chunks):
    """Prints what the client saw as one JSON object. Only streams differ between libraries.

    send_chunks(client, url, chunks, headers) posts a body of unknown length; receive_chunks(client, url, headers)
    yields the bytes of an answer.
    """
    seen = {}

    def sha256_of(path):
        digest = hashlib.sha256()
        for chunk in receive_chunks(client, base + path, key):
            digest.update(chunk)
        return digest.hexdigest()

    sign_in = client.post(
        f"{base}/api/rest/1.0/session", json={"username": "client@demo.example", "password": "demo-password"}
    )
    seen["signIn"] = sign_in.status_code
    seen["username"] = client.get(f"{base}/api/rest/1.0/session").json()["username"]
    port = f"{base}/api/rest/1.0/ports/{quote(mark, safe='')}"
    seen["port"] = client.put(port, json=body("port")).status_code
    seen["portName"] = client.get(port).json()["name"]
    client.cookies.clear()

    seen["dataApiJob"] = client.post(
        f"{base}/bridge/v1/data/jobs", json=body("data-api-job"), headers=key | {"Accept-Version": "1.0"}
    ).status_code
    jobs = f"{base}/workspaces/{workspace}/jobs"
    once = key | {"Idempotency-Key": mark}
    first, again = (client.post(jobs, json=body("job"), headers=once) for _ in range(2))
    seen["legacyJob"] = first.status_code
    seen["again"] = again.status_code
    seen["sameId"] = first.json()["id"] == again.json()["id"]
    seen["replayed"] = again.headers["Idempotency-Replayed"]
    document = client.post(f"{base}/v2/workspaces/{workspace}/documents", json=body("document"), headers=key)
    seen["v2Job"] = document.status_code
    at = base + document.headers["Location"]
    read = client.get(at, headers=key)
    seen["notes"] = read.json()["body"]["notes"]
    seen["encoding"] = read.headers.get("Content-Encoding", "")

    jobs_read = client.get(f"{jobs}/", params={"refNumber": "KST-2042"}, headers=key)
    seen["list"] = jobs_read.status_code
    seen["listed"] = len(jobs_read.json()) > 0
    seen["redirects"] = len(jobs_read.history)

    tag = read.headers["ETag"]
    seen["notModified"] = client.get(at, headers=key | {"If-None-Match": tag}).status_code
    patch = {"body": {"status": "active"}}
    seen["changed"] = client.patch(at, json=patch, headers=key | {"If-Match": tag}).status_code
    seen["stale"] = client.patch(at, json=patch, headers=key | {"If-Match": tag}).status_code

    files = f"/workspaces/{workspace}/jobs/{first.json()['id']}/files"
    with open(file, "rb") as source:
        uploaded = client.post(base + files, files={"file": ("certificate.bin", source)}, headers=key)
    seen["file"] = uploaded.status_code
    seen["fileSha256"] = sha256_of(f"{files}/{uploaded.json()['id']}/content")
    form = {"Content-Type": "multipart/form-data; boundary=sea", "Expect": "100-continue"}
    attachments = f"{document.headers['Location']}/attachments"
    streamed = send_chunks(client, base + attachments, chunks(), key | form)
    seen["attachment"] = streamed.status_code
    seen["attachmentSha256"] = sha256_of(f"{streamed.headers['Location']}/content")
    nowhere = f"{base}/v2/workspaces/{workspace}/documents/{workspace}/attachments"
    seen["refused"] = send_chunks(client, nowhere, chunks(), key | form).status_code
    print(json.dumps(seen))
