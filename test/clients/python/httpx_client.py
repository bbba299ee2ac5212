"""An inspection by httpx, with its defaults."""

import httpx
from inspection import inspect


def send_chunks(client, url, chunks, headers):
    return client.post(url, content=chunks, headers=headers)


def receive_chunks(client, url, headers):
    with client.stream("GET", url, headers=headers) as answer:
        yield from answer.iter_bytes(65536)


with httpx.Client() as session:
    inspect(session, send_chunks=send_chunks, receive_chunks=receive_chunks)
