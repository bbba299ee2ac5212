"""Run it with: WEBHOOK_SECRET=whsec_... PORT=3000 python3 receiver.py"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = re.compile("whsec_((?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)")
MOST_BYTES = 20_000  # no message is larger

secret = SECRET.fullmatch(os.environ.get("WEBHOOK_SECRET", ""))
if secret is None:  # without one, anyone could sign
    sys.exit("WEBHOOK_SECRET must be the secret of the webhook: whsec_ and the base64 of at least 24 bytes.")
KEY = base64.b64decode(secret[1])
seen = set()  # keep the ids in your database: a message can come twice


def is_genuine(headers, body: bytes) -> bool:
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MOST_BYTES:
            self.send_response(413)
            self.end_headers()
            return
        body = self.rfile.read(int(length))
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        message_id = self.headers.get("webhook-id")
        if genuine and message_id not in seen:
            seen.add(message_id)
            print(message_id, json.loads(body)["type"], flush=True)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
