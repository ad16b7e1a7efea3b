"""What attacks and broken clients get (S01 to S05, S16, F15, T1 to T5, T16)."""

import contextlib
import fcntl
import json
import os
import pathlib
import select
import socket
import ssl
import threading
import time

import pytest
import requests

from conftest import CONTAINER, Cloud, error, own_address


def raw(cloud, data, wait=3):
    """What the server answers to some bytes."""
    with socket.create_connection(("127.0.0.1", cloud.ready["port"]), timeout=wait) as client:
        try:
            client.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = b""
        try:
            while part := client.recv(65536):
                answer += part
        except (socket.timeout, ConnectionResetError):
            pass
        return answer


@pytest.mark.check("S01")
class TestHosts:
    """S01: another host is refused on every path and with every method."""

    @pytest.mark.parametrize("host", [
        "evil.example", "evil.example:80", "127.0.0.1.nip.io", "localhost.evil.example",
        "169.254.1.1", "[::ffff:1.2.3.4]", "localhost@evil", "", "localhost:x", "[::1", "0.0.0.0"])
    def test_refused(self, cloud, host):
        for path in ("/healthz", "/metrics", "/sign-in", "/ckdb/1/reset", "/nothing"):
            for method in ("GET", "POST", "OPTIONS"):
                head = (f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
                        "Content-Length: 0\r\n\r\n")
                answer = raw(cloud, head.encode())
                assert answer.split(b" ")[1] in (b"403", b"400"), (host, method, path, answer)
                assert cloud.token.encode() not in answer

    def test_accepted(self, cloud):
        port = cloud.ready["port"]
        for host in (f"localhost:{port}", "127.0.0.1", "[::1]:80", "LOCALHOST", "localhost."):
            head = f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            assert raw(cloud, head.encode()).startswith(b"HTTP/1.1 200"), host

    def test_none(self, cloud):
        assert raw(
            cloud, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"
        ).startswith(b"HTTP/1.1 400")


@pytest.mark.check("S04")
class TestAddress:
    def test_loopback_only(self, cloud):
        """S04: other machines do not reach a server that was not told to listen for them."""
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((own_address(), cloud.ready["port"]), timeout=3)


@pytest.mark.check("S03")
class TestForgery:
    """S03: a page of another origin changes nothing, whatever it sends."""

    def test_no_change(self, cloud):
        before = cloud.cli("export")
        body = json.dumps({"operations": [{"operationType": "create", "record": {
            "recordName": "evil", "recordType": "Note", "fields": {"a": {"value": 1}}}}]})
        url = f"{cloud.url}{cloud.path('records/modify')}?{cloud.query()}"
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site"}):
            answer = cloud.session.post(url, data=body, headers=headers)
            assert answer.status_code == 403
        assert cloud.cli("export") == before
        assert cloud.session.get(f"{cloud.url}/ckdb/1/reset", headers=cloud.admin).status_code \
            == 405


class TestTargets:
    """S05: no path leads to files."""

    @pytest.mark.check("S05")
    @pytest.mark.parametrize("path", [
        "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd",
        "/....//etc/passwd", "//etc/passwd", "/a%00.png", "/..\\..\\x", "/assets/../x",
        "/assets/%2e%2e%2fx/y", "/%", "/%zz", "/%c3%28"])
    def test_traversal(self, cloud, path):
        answer = raw(
            cloud, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert answer.split(b" ")[1] in (b"400", b"404"), answer
        assert b"root:" not in answer

    @pytest.mark.check("S07")
    @pytest.mark.parametrize("text", [
        'a"b', "a'b", "a;DROP TABLE x--", "[x]", "`x`", "%s", "_rowid_", 'x" OR 1=1--', "é", "🦊",
        "x" * 256, ""])
    def test_identifiers(self, cloud, text):
        """S07: names are stored as they are, or refused by name; other rows stay."""
        cloud.modify(("create", "kept", {"text": "x"}))
        before = cloud.post("records/lookup", {"records": [{"recordName": "kept"}]})
        for body in (
                {"query": {"recordType": text}},
                {"query": {"recordType": "Note", "sortBy": [{"fieldName": text}]}},
                {"query": {"recordType": "Note", "filterBy": [{
                    "comparator": "EQUALS", "fieldName": text, "fieldValue": {"value": 1}}]}}):
            assert cloud.send("records/query", body).status_code in (200, 400, 403, 404)
        for record in (
                {"recordName": text, "recordType": "Note"}, {"recordName": "a", "recordType": text},
                {"recordName": "b", "recordType": "Note", "fields": {text: {"value": "v"}}}):
            answer = cloud.send("records/modify", {
                "operations": [{"operationType": "create", "record": record}]})
            assert answer.status_code == 200, answer.text
            item = answer.json()["records"][0]
            assert "serverErrorCode" in item or item["recordName"] == record["recordName"]
        assert cloud.post("records/lookup", {"records": [{"recordName": "kept"}]}) == before


@pytest.mark.check("S16")
class TestRequests:
    """F15: what is no proper request is refused by name, and the server goes on."""

    @pytest.mark.parametrize("data", [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100,  # a TLS hello
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"NONSENSE\r\n\r\n",
    ])
    def test_refused(self, cloud, data):
        answer = raw(cloud, data)
        assert answer.startswith(b"HTTP/1.") and answer.split(b" ")[1] in (
            b"400", b"414", b"431"), answer
        assert b"reason" in answer, answer
        assert requests.get(cloud.url + "/healthz").text == "ok\n"

    def test_methods(self, cloud):
        for method in ("TRACE", "PATCH", "DELETE", "CONNECT"):
            answer = raw(
                cloud, f"{method} /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                .encode())
            assert answer.split(b" ")[1] in (b"400", b"404", b"405"), (method, answer)

    @pytest.mark.parametrize("path", [
        "/healthz", "/metrics", "/openapi.json", "/nothing", "/assets/AAAA/x", "/sign-in"])
    def test_head(self, cloud, path):
        """An answer to HEAD has no body, which would be read as the next answer."""
        host = "Host: 127.0.0.1\r\n"
        answer = raw(cloud, (
            f"HEAD {path} HTTP/1.1\r\n{host}\r\nHEAD {path} HTTP/1.1\r\n{host}"
            "Connection: close\r\n\r\n").encode())
        heads = answer.split(b"\r\n\r\n")
        assert len(heads) == 3 and heads[2] == b"", answer
        assert all(head.startswith(b"HTTP/1.1 ") for head in heads[:2]), answer

    def test_pipelining(self, cloud):
        one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answer = raw(cloud, one * 50 + last)
        assert answer.count(b"HTTP/1.1 200") == 51

    def test_expect(self, cloud):
        target = cloud.path("records/lookup") + "?" + cloud.query()
        head = (f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 14\r\n"
                "Expect: 100-continue\r\nConnection: close\r\n\r\n")
        assert b"HTTP/1.1 200" in raw(cloud, head.encode() + b'{"records":[]}')

    def test_half_closed(self, cloud):
        target = cloud.path("records/modify") + "?" + cloud.query()
        with socket.create_connection(("127.0.0.1", cloud.ready["port"]), timeout=3) as client:
            client.sendall(f"POST {target} HTTP/1.1\r\nHost: localhost\r\n"
                           "Content-Length: 100\r\n\r\n{".encode())
            client.shutdown(socket.SHUT_WR)
            assert not client.recv(65536).startswith(b"HTTP/1.1 200")

    def test_large_length(self, cloud):
        """A body of 100 MB is refused before any of it is sent."""
        head = (f"POST {cloud.path('records/modify')}?{cloud.query()} HTTP/1.1\r\n"
                "Host: localhost\r\nConnection: close\r\n"
                "Content-Length: 100000000\r\n\r\n")
        assert raw(cloud, head.encode()).startswith(b"HTTP/1.1 413")

    def test_large_chunks(self, cloud):
        """A chunked body of 100 MB is refused when it passes the limit of 10 MB."""
        head = (f"POST {cloud.path('records/modify')}?{cloud.query()} HTTP/1.1\r\n"
                "Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        with socket.create_connection(("127.0.0.1", cloud.ready["port"]), timeout=3) as client:
            client.sendall(head.encode())
            for sent in range(1600):
                client.sendall(piece)
                # Beyond the limit, wait for what the server says before the rest.
                if select.select([client], [], [], 1 if sent > 160 else 0)[0]:
                    break
            assert client.recv(65536).startswith(b"HTTP/1.1 413")
        assert sent * 65536 < 11 << 20

    def test_large_deaf(self, cloud):
        """A client that sends all before it reads gets the answer too."""
        url = f"{cloud.url}{cloud.path('records/modify')}?{cloud.query()}"
        pieces = (b"x" * 65536 for _ in range(1600))
        assert cloud.session.post(url, data=pieces).status_code == 413

    def test_deep(self, cloud):
        for body in ("[" * 100_000, '{"a":' * 100_000, '{"query":{"recordType":"Note","filterBy":'
                     + "[" * 50_000):
            url = f"{cloud.url}{cloud.path('records/query')}?{cloud.query()}"
            assert error(cloud.session.post(url, data=body))[0] == 400

    def test_slow_clients(self, cloud):
        """300 clients that send a byte now and then do not slow a normal one down."""
        slow = []
        for _ in range(300):
            client = socket.create_connection(("127.0.0.1", cloud.ready["port"]))
            client.sendall(b"POST / HTTP/1.1\r\nHost: loc")
            slow.append(client)
        session, times = requests.Session(), []
        url = f"{cloud.url}{cloud.path('zones/list')}?{cloud.query()}"
        for number in range(200):
            if number % 10 == 0:
                for client in slow:
                    client.send(b"a")
            began = time.monotonic()
            assert session.get(url).status_code == 200
            times.append(time.monotonic() - began)
        for client in slow:
            client.close()
        times.sort()
        print(f"p99 {times[197] * 1000:.1f} ms")

    def test_slow_head_ends(self, cloud):
        """A connection that sends no whole request is closed (T16)."""
        with socket.create_connection(("127.0.0.1", cloud.ready["port"]), timeout=15) as client:
            client.sendall(b"GET / HT")
            assert client.recv(100) == b""


class TestThreads:
    """What may take long holds no event loop (design.md §11): others would wait for it."""

    def share(self, cloud, work):
        """The share of the event loops in the time that the server's threads run for some work."""
        def times():
            found = {True: 0, False: 0}
            for task in pathlib.Path(f"/proc/{cloud.process.pid}/task").iterdir():
                ran = int((task / "schedstat").read_text().split()[0])
                found[(task / "comm").read_text().startswith("NIO")] += ran
            return found

        before = times()
        work()
        after = times()
        loops, others = (after[key] - before[key] for key in (True, False))
        return loops / (loops + others)

    def test_queries(self, cloud):
        rows = "".join(json.dumps({"name": f"n{i}", "text": f"{i} " * 20}) + "\n"
                       for i in range(3000))
        cloud.cli("import", "Note", "-", "--name-field", "name", "-d", "private", text=rows)
        query = {"query": {"recordType": "Note"}, "resultsLimit": 200}
        path = f"{cloud.url}{cloud.path('records/query')}?{cloud.query()}"

        def work():
            for _ in range(30):
                assert len(cloud.session.post(path, json=query).json()["records"]) == 200

        assert self.share(cloud, work) < 0.5

    @pytest.mark.parametrize("options", [[], ["--tls"]])
    def test_first_downloads(self, make_cloud, options):
        """Contents are checked as a whole before their first byte is sent."""
        cloud = make_cloud("--log", "none", *options)
        (cloud.folder / "file").write_bytes(os.urandom(64 << 20))
        cloud.cli("record", "save", "Doc", "--name", "doc", "-d", "private")
        cloud.cli("asset", "put", "doc", "file", str(cloud.folder / "file"), "-d", "private")
        record = cloud.post("records/lookup", {"records": [{"recordName": "doc"}]})["records"][0]
        url = record["fields"]["file"]["value"]["downloadURL"]

        def work():
            assert len(cloud.session.get(url, headers={"Range": "bytes=0-9"}).content) == 10

        assert self.share(cloud, work) < 0.5


class TestWaiting:
    """Saves that wait for another process, which holds the store's lock."""

    @contextlib.contextmanager
    def locked(self, cloud):
        cloud.modify(("create", "first", {"n": 1}))
        with open(cloud.store / "containers" / CONTAINER / "development" / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield lock

    def save(self, cloud, name):
        """A connection that has sent a save."""
        body = json.dumps({"operations": [{"operationType": "create", "record": {
            "recordName": name, "recordType": "Note", "fields": {}}}]})
        client = socket.create_connection(("127.0.0.1", cloud.ready["port"]), timeout=30)
        client.sendall((
            f"POST {cloud.path('records/modify')}?{cloud.query()} HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
        time.sleep(0.2)
        return client

    def test_clients_that_leave(self, cloud):
        """A client that leaves ends its own save only."""
        with self.locked(cloud) as lock:
            clients = [self.save(cloud, name) for name in ("a", "b", "c")]
            for client in clients[:2]:
                client.close()
                # The server cancels its save after a second.
                time.sleep(2.3)
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert clients[2].recv(65536).startswith(b"HTTP/1.1 200")
            assert "c" in cloud.cli("record", "list", "Note", "-d", "private", "-f", "names")

    def test_closed_side(self, cloud):
        """A client may close its side before it reads the answer (RFC 9112, 9.6)."""
        client = socket.create_connection(("127.0.0.1", cloud.ready["port"]), timeout=30)
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(65536).startswith(b"HTTP/1.1 200")

    def test_end(self, cloud):
        """At the end a save may still wait for a moment."""
        with self.locked(cloud) as lock:
            client = self.save(cloud, "a")
            cloud.process.terminate()
            time.sleep(0.1)
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
            assert cloud.process.wait(timeout=5) == 0


class TestRest:
    def test_unused_connections(self, cloud):
        """A server keeps no connection to an environment that no request needs (design.md §11:
        bounded)."""
        before = cloud.descriptors
        for number in range(8):
            container = f"iCloud.org.example.rest{number}"
            cloud.cli("container", "create", container)
            token = cloud.cli("token", "create", "-C", container).strip()
            answer = cloud.session.post(
                f"{cloud.url}/database/1/{container}/development/public/records/lookup",
                params={"ckAPIToken": token}, json={"records": [{"recordName": "a"}]})
            assert answer.status_code == 200
        used = cloud.descriptors
        assert used >= before + 8
        for _ in range(200):
            if cloud.descriptors <= before + 2:
                break
            time.sleep(0.1)
        assert cloud.descriptors <= before + 2, (before, used)


class TestTLS:
    def test_certificate(self, make_cloud):
        cloud = make_cloud("--tls", "--log", "none")
        port = cloud.ready["port"]
        pem = ssl.get_server_certificate(("localhost", port))
        context = ssl.create_default_context(cadata=pem)
        for name in ("localhost", "127.0.0.1"):
            with socket.create_connection(("127.0.0.1", port)) as plain:
                with context.wrap_socket(plain, server_hostname=name) as client:
                    client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert client.recv(1000).startswith(b"HTTP/1.1 200")


class TestKills:
    def test_acknowledged_saves_stay(self, tmp_path):
        """F15: after a kill under load every acknowledged save is there."""
        cloud = Cloud(tmp_path, "--log", "none")
        saved = [[] for _ in range(4)]
        for round_number in range(5):
            query = cloud.query()
            url = f"{cloud.url}{cloud.path('records/modify')}?{query}"

            def work(number):
                session = requests.Session()
                for count in range(100_000):
                    name = f"r{round_number}-{number}-{count}"
                    record = {"recordName": name, "recordType": "Note",
                              "fields": {"n": {"value": count}}}
                    try:
                        answer = session.post(url, json={"operations": [
                            {"operationType": "create", "record": record}]}, timeout=5)
                    except requests.exceptions.RequestException:
                        return
                    if "serverErrorCode" not in answer.json()["records"][0]:
                        saved[number].append(name)

            workers = [threading.Thread(target=work, args=(n,)) for n in range(4)]
            for worker in workers:
                worker.start()
            time.sleep(0.4)
            cloud.process.kill()
            cloud.process.wait()
            for worker in workers:
                worker.join()
            cloud.start()
        names = {name for part in saved for name in part}
        there = set(cloud.cli("record", "list", "Note", "-f", "names").split())
        assert len(names) > 100 and names <= there
        cloud.cli("doctor", "--deep")
        cloud.stop()
