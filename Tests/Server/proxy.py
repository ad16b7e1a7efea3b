"""A proxy in front of a server that delays, cuts and repeats requests, and answers with errors."""

import collections
import hashlib
import http.client
import http.server
import json
import random
import socket
import threading
import time
import urllib.parse

#: What may happen to a request, with the parts of its life that it spares.
FAULTS = [
    "delay", "cut before", "cut after", "cut in the answer", "replay", "throttle", "unavailable",
    "internal", "internal after", "not json",
]

#: Errors of single items within an answer of status 200.
ITEM_FAULTS = ["THROTTLED", "TRY_AGAIN_LATER", "RETRY_LATER", "CAS_OP_LOCK", "ZONE_BUSY"]

#: Header fields that the proxy sends itself.
OWN_HEADERS = {"content-length", "transfer-encoding", "connection", "date", "server"}


class FaultyProxy:
    """Forwards requests to a server. `rate` is the part of requests that meet a fault."""

    def __init__(self, url, rate=0.0, seed=1, faults=FAULTS):
        target = urllib.parse.urlsplit(url)
        self.target = (target.hostname, target.port)
        self.rate, self.faults = rate, faults
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        #: How often each fault struck.
        self.struck = collections.Counter()
        #: How many requests were forwarded, by their last two words.
        self.requests = collections.Counter()
        #: The answer that an endpoint gives instead of the server's: (status, body).
        self.answers = {}
        #: Saves that succeeded, by record and contents, without those that the proxy repeated.
        self.saved = collections.Counter()
        #: Whole contents that were delivered, by their hash.
        self.delivered = collections.Counter()
        #: The headers and addresses of all requests, to look for secrets.
        self.seen = []
        self.bytes = 0
        #: The least time of a delay, in seconds.
        self.slowness = 0
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                proxy.handle(self)

            do_POST = do_GET

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.local = threading.local()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    # One request

    def draw(self):
        with self.lock:
            if self.random.random() >= self.rate:
                return None
            fault = self.random.choice(self.faults)
            self.struck[fault] += 1
            return fault

    def handle(self, client):
        length = int(client.headers.get("content-length") or 0)
        body = client.rfile.read(length) if length else b""
        if client.headers.get("transfer-encoding", "").lower() == "chunked":
            body = read_chunks(client.rfile)
        path = client.path.split("?")[0]
        is_asset = "/assets" in path and "/database/" not in path
        action = "assets" if is_asset else "/".join(path.split("/")[-2:])
        with self.lock:
            self.seen.append((client.path, dict(client.headers)))
            answer = self.answers.get(action)
        if answer:
            return self.reply(client, answer[0], {}, json.dumps(answer[1]).encode())
        fault = self.draw()
        if fault == "delay":
            time.sleep(self.random.uniform(0, 0.05) + self.slowness)
        if fault == "cut before":
            return self.cut(client)
        refusal = {
            "throttle": (429, "THROTTLED"), "unavailable": (503, "TRY_AGAIN_LATER"),
            "internal": (500, "INTERNAL_ERROR"),
        }.get(fault)
        if refusal:
            return self.refuse(client, *refusal)
        status, headers, data = self.forward(client, body)
        self.note(action, client.path, body, status, data)
        if fault == "replay":
            status, headers, data = self.forward(client, body)
        if fault == "cut after":
            return self.cut(client)
        if fault == "internal after":
            return self.refuse(client, 500, "INTERNAL_ERROR")
        if fault == "not json":
            return self.reply(client, 502, {}, b"<html>Bad Gateway</html>")
        if fault == "cut in the answer":
            return self.reply(client, status, headers, data, part=len(data) // 2)
        self.reply(client, status, headers, data)
        if is_asset and client.command == "GET" and status == 200:
            with self.lock:
                self.delivered[hashlib.sha256(data).hexdigest()] += 1

    def forward(self, client, body):
        connection = getattr(self.local, "connection", None)
        headers = {
            key: value for key, value in client.headers.items()
            if key.lower() not in ("connection", "transfer-encoding", "content-length")
        }
        for attempt in range(2):
            if connection is None:
                connection = http.client.HTTPConnection(*self.target, timeout=120)
            try:
                connection.request(client.command, client.path, body or None, headers)
                answer = connection.getresponse()
                data = answer.read()
                self.local.connection = connection
                return answer.status, dict(answer.getheaders()), data
            except (OSError, http.client.HTTPException):
                connection.close()
                connection = None
                if attempt:
                    raise
        raise AssertionError

    def note(self, action, path, body, status, data):
        with self.lock:
            self.requests[action] += 1
            self.bytes += len(data)
            if action != "records/modify" or status != 200:
                return
            operations = json.loads(body)["operations"]
            for operation, result in zip(operations, json.loads(data)["records"]):
                if "serverErrorCode" in result:
                    continue
                contents = json.dumps(operation["record"].get("fields"), sort_keys=True)
                key = (
                    operation["record"]["recordName"], operation["operationType"],
                    operation["record"].get("recordChangeTag"),
                    hashlib.sha256(contents.encode()).hexdigest())
                self.saved[key] += 1

    # Answers

    def refuse(self, client, status, code):
        body = {"uuid": "0", "serverErrorCode": code, "reason": "injected by the proxy"}
        if status == 429:
            body["retryAfter"] = 0.05
        self.reply(client, status, {}, json.dumps(body).encode())

    def reply(self, client, status, headers, data, part=None):
        client.send_response(status)
        for name, value in headers.items():
            if name.lower() not in OWN_HEADERS:
                client.send_header(name, value)
        client.send_header("content-length", str(len(data)))
        client.end_headers()
        try:
            client.wfile.write(data if part is None else data[:part])
            client.wfile.flush()
        except OSError:
            pass
        if part is not None:
            self.cut(client)

    def cut(self, client):
        client.close_connection = True
        try:
            client.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def read_chunks(stream):
    """The body of a request in chunks."""
    parts = []
    while size := int(stream.readline().split(b";")[0], 16):
        parts.append(stream.read(size))
        stream.readline()
    stream.readline()
    return b"".join(parts)
