"""An inspection by requests, with its defaults."""

import requests
from inspection import inspect


def send_chunks(client, url, chunks, headers):
    return client.post(url, data=chunks, headers=headers)


def receive_chunks(client, url, headers):
    with client.get(url, headers=headers, stream=True) as answer:
        yield from answer.iter_content(65536)


with requests.Session() as session:
    inspect(session, send_chunks=send_chunks, receive_chunks=receive_chunks)
