"""What tests in any language need: /ckdb/1, ready lines, exec --serve, the end."""

import json
import os
import signal
import subprocess
import threading
import time
import urllib.parse

import pytest
import requests

from conftest import CONTAINER, PROGRAM, error


def count(cloud, **others):
    body = {"query": {"recordType": "Note"}}
    answer = cloud.send("records/query", body, **others)
    return len(answer.json()["records"]) if answer.status_code == 200 else 0


class TestReset:
    def test_reset(self, cloud):
        cloud.modify(("create", "a", {"text": "x"}))
        before = cloud.token
        cloud.control("POST", "faults", {"operation": "fetch", "code": 7})
        cloud.control("POST", "clock", {"now": "2020-01-01T00:00:00Z"})
        assert cloud.control("POST", "reset").status_code == 200
        assert count(cloud) == 0
        assert cloud.control("GET", "faults").json() == {"faults": []}
        assert cloud.token == before and cloud.send("users/caller").status_code == 200
        (made,) = cloud.modify(("create", "b", {"text": "x"}))
        assert made["created"]["timestamp"] > 1_700_000_000_000

    def test_tokens_expire(self, cloud):
        """Change tokens that were given since the start are refused after a reset."""
        cloud.post("zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": "Z"}}}]})
        token = cloud.post("changes/database", {})["syncToken"]
        cloud.control("POST", "reset")
        assert error(cloud.send("changes/database", {"syncToken": token}))[0] == 400

    def test_snapshots(self, cloud):
        cloud.modify(("create", "a", {"text": "x"}))
        assert cloud.control("POST", "snapshots", {"name": "one"}).status_code == 201
        cloud.modify(("create", "b", {"text": "x"}))
        assert cloud.control("POST", "restore", {"name": "one"}).status_code == 200
        assert count(cloud) == 1
        assert cloud.control("POST", "restore", {"name": "none"}).status_code == 404
        assert cloud.control("POST", "snapshots", {"name": "../x"}).status_code == 400

    def test_while_busy(self, cloud):
        """Resets and requests at the same time: each answer is of one state."""
        stop, faults = threading.Event(), []

        def work(number):
            session = requests.Session()
            query = cloud.query()
            while not stop.is_set():
                record = {"recordName": f"r{number}", "recordType": "Note",
                          "fields": {"n": {"value": number}}}
                answer = session.post(
                    f"{cloud.url}{cloud.path('records/modify')}?{query}", json={
                        "operations": [{"operationType": "forceUpdate", "record": record}]})
                if answer.status_code >= 500 and answer.status_code != 503:
                    faults.append(answer.text)

        workers = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for worker in workers:
            worker.start()
        for _ in range(20):
            assert cloud.control("POST", "reset").status_code == 200
        stop.set()
        for worker in workers:
            worker.join()
        assert faults == []
        cloud.cli("doctor", "--deep")


class TestFixtures:
    def test_load(self, cloud):
        fixture = {"databases": {"private": {"zones": {"_defaultZone": {"records": [
            {"recordName": "a", "recordType": "Note", "fields": {"text": "x"}}]}}}}}
        assert cloud.control("POST", "fixtures", fixture).json() == {
            "created": 1, "changed": 0, "unchanged": 0}
        assert count(cloud) == 1

    def test_faults(self, cloud):
        fixture = {"databases": {"private": {"zones": {"_defaultZone": {"records": [
            {"recordName": "a"}]}}}}}
        answer = cloud.control("POST", "fixtures", fixture)
        assert answer.status_code == 400 and count(cloud) == 0


class TestFaults:
    def test_codes(self, cloud):
        """Faults have the status and retryAfter of their code."""
        for code, status, name in [
                ("requestRateLimited", 429, "THROTTLED"),
                ("serviceUnavailable", 503, "TRY_AGAIN_LATER"),
                ("internalError", 500, "INTERNAL_ERROR")]:
            made = cloud.control(
                "POST", "faults",
                {"operation": "query", "code": code, "retryAfter": 7, "times": 1})
            assert made.status_code == 201
            answer = cloud.send("records/query", {"query": {"recordType": "Note"}})
            assert error(answer)[:2] == (status, name)
            assert answer.json()["retryAfter"] == 7

    def test_of_the_command_line(self, cloud):
        cloud.cli("fault", "add", "--operation", "save", "--code", "zoneBusy", "--times", "1")
        time.sleep(0.15)
        answer = cloud.send("records/modify", {"operations": [{
            "operationType": "create", "record": {"recordName": "a", "recordType": "Note"}}]})
        assert error(answer)[:2] == (503, "ZONE_BUSY")

    def test_network(self, cloud):
        """A fault of the network gets no answer. Where only the answer is lost, the change is
        made."""
        save = {"operations": [{
            "operationType": "create", "record": {"recordName": "a", "recordType": "Note"}}]}
        cloud.control(
            "POST", "faults", {"operation": "save", "code": "networkFailure", "times": 1})
        with pytest.raises(requests.exceptions.ConnectionError):
            cloud.send("records/modify", save)
        assert count(cloud) == 0
        cloud.cli(
            "fault", "add", "--operation", "save", "--code", "serverResponseLost", "--after",
            "--times", "1")
        time.sleep(0.15)
        with pytest.raises(requests.exceptions.ConnectionError):
            cloud.send("records/modify", save)
        assert count(cloud) == 1
        last = [r for r in cloud.control("GET", "requests").json()["requests"]
                if r["path"].endswith("modify")]
        assert len(last) == 2 and all("failure" in r for r in last)

    def test_latency(self, cloud):
        """A slow answer holds no other one up, and its change is made at once."""
        save = {"operations": [{
            "operationType": "create", "record": {"recordName": "a", "recordType": "Note"}}]}
        cloud.control("POST", "faults", {"operation": "save", "latency": 3600, "times": 1})
        with pytest.raises(requests.exceptions.ReadTimeout):
            cloud.send("records/modify", save, timeout=0.5)
        assert count(cloud) == 1
        cloud.modify(("create", "b", {"text": "x"}))

    def test_latency_ends(self, cloud):
        """The end of the server does not wait for a late answer: it is given."""
        cloud.control("POST", "faults", {"operation": "fetch", "latency": 3600, "times": 1})
        answers = []
        late = threading.Thread(target=lambda: answers.append(
            cloud.send("records/lookup", {"records": [{"recordName": "a"}]})))
        late.start()
        while cloud.control("GET", "faults").json()["faults"]:
            pass
        time.sleep(0.3)
        assert cloud.stop() == 0
        late.join()
        assert [answer.status_code for answer in answers] == [200]

    def test_late_errors(self, cloud):
        """An error and a download may be late, too."""
        cloud.control("POST", "faults", {"operation": "query", "code": 23, "latency": 0.2})
        began = time.monotonic()
        answer = cloud.send("records/query", {"query": {"recordType": "Note"}})
        assert error(answer)[:2] == (503, "ZONE_BUSY") and time.monotonic() - began >= 0.2
        (cloud.folder / "file").write_bytes(b"contents")
        cloud.cli("record", "save", "Doc", "--name", "doc", "-d", "private")
        cloud.cli("asset", "put", "doc", "file", str(cloud.folder / "file"), "-d", "private")
        record = cloud.post("records/lookup", {"records": [{"recordName": "doc"}]})["records"][0]
        url = record["fields"]["file"]["value"]["downloadURL"]
        cloud.control("POST", "faults", {"operation": "asset", "latency": 0.2, "times": 1})
        began = time.monotonic()
        assert requests.get(url).content == b"contents" and time.monotonic() - began >= 0.2
        cloud.control("POST", "faults", {"operation": "asset", "code": "assetNotAvailable"})
        assert not requests.get(url).ok

    def test_bad(self, cloud):
        for body in ({}, {"operation": "eat", "code": 7}, {"operation": "save", "code": "x"},
                     {"operation": "save"}, {"operation": "save", "latency": "1"},
                     {"operation": "save", "latency": -1}, {"operation": "save", "latency": 1e9}):
            assert cloud.control("POST", "faults", body).status_code == 400


class TestRequests:
    def shell(self, cloud, line):
        """What a line of the list prints."""
        result = subprocess.run(
            ["sh", "-c", line], capture_output=True, text=True, env={
                **cloud.environment, "CKDB_API_TOKEN": cloud.token,
                "CKDB_WEB_AUTH_TOKEN": urllib.parse.quote(cloud.web_token("me"), safe=""),
                "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"})
        assert result.returncode == 0, (line, result.stderr)
        return result.stdout

    @pytest.mark.parametrize("endpoint,body,shown", [
        ("records/query", {"query": {
            "recordType": "Note", "filterBy": [{
                "fieldName": "text", "comparator": "EQUALS", "fieldValue": {"value": "it's"}}],
            "sortBy": [{"fieldName": "text", "ascending": False}]}}, "it's"),
        ("records/lookup", {"records": [{"recordName": "a"}, {"recordName": "b"}]}, "two"),
        ("records/modify", {"operations": [{
            "operationType": "forceDelete", "record": {"recordName": "it's"}}]}, ""),
        ("changes/database", {}, "token"), ("zones/list", {}, "_defaultZone"),
        ("subscriptions/list", {}, ""), ("users/caller", None, "me")])
    def test_lines(self, cloud, endpoint, body, shown):
        """Each request is shown as ckdb and as curl (cli.md §13), and both lines work."""
        cloud.modify(("create", "a", {"text": "it's"}), ("create", "b", {"text": "two"}))
        answer = cloud.send(endpoint, body)
        assert answer.status_code == 200, answer.text
        last = cloud.control("GET", "requests").json()["requests"][-1]
        assert last["path"].endswith(endpoint)
        assert shown in self.shell(cloud, last["ckdb"])
        again = json.loads(self.shell(cloud, last["curl"].replace("curl ", "curl -s ", 1)))
        assert again.keys() == answer.json().keys()

    def test_explanations(self, cloud):
        """A query comes with its plan and the indexes that CloudKit would miss, a refusal with its
        rule (cli.md §13)."""
        cloud.modify(("create", "a", {"text": "one"}), ("create", "b", {"text": "two"}))
        cloud.post("records/query", {"query": {"recordType": "Note"}})
        cloud.modify(("create", "a", {"text": "again"}))
        cloud.send("records/query", {"query": {"recordType": "Note"}}, user=None)
        cloud.session.close()
        query, conflict, refused = cloud.control("GET", "requests").json()["requests"][-3:]
        assert query["plan"]["given"] == 2 and query["plan"]["steps"]
        assert query["findings"] == ["Field 'recordName' is not marked queryable"]
        assert conflict["reason"] == "a: record to insert already exists"
        assert query["rule"] == conflict["rule"] == "a private database is open to its user alone"
        assert (refused["status"], refused["reason"]) == (421, "request needs authorization")
        assert "plan" not in conflict

    def test_rules(self, cloud):
        """A request comes with the grant that decided about its records (cli.md §13)."""
        def rule(endpoint, body, user):
            cloud.send(endpoint, body, database="public", user=user)
            return cloud.control("GET", "requests").json()["requests"][-1]["rule"]

        def change(kind):
            return {"operations": [{"operationType": kind, "record": {
                "recordName": "a", "recordType": "Note", "fields": {}}}]}

        query = {"query": {"recordType": "Note"}}
        cloud.modify(("create", "a", {}), database="public")
        assert rule("records/query", query, None) == "Note grants READ to _world"
        assert rule("records/modify", change("create"), "ann") == "Note grants CREATE to _icloud"
        last = "Note grants WRITE to _creator only: on own records"
        assert rule("records/modify", change("update"), "ann") == last
        both = f"Note grants CREATE to _icloud; {last}"
        assert rule("records/modify", change("forceUpdate"), "ann") == both
        cloud.cli("schema", "role", "create", "editor")
        cloud.cli("schema", "revoke", "Note", "_creator", "write")
        cloud.cli("schema", "grant", "Note", "editor", "write")
        last = "Note grants WRITE to no role of the user"
        assert rule("records/modify", change("update"), "ann") == last
        cloud.cli("user", "role", "add", "ann", "editor")
        last = "Note grants WRITE to editor"
        assert rule("records/modify", change("update"), "ann") == last

    def test_list_and_follow(self, cloud):
        cloud.send("users/caller")
        last = cloud.control("GET", "requests").json()["requests"][-1]
        assert last["path"].endswith("users/caller") and last["status"] == 200
        assert last["caller"] == "me"
        assert cloud.token not in json.dumps(last)
        stream = cloud.session.get(
            f"{cloud.url}/ckdb/1/requests", stream=True,
            headers={**cloud.admin, "Accept": "text/event-stream"})
        lines = stream.iter_lines(chunk_size=1)
        next(lines)
        requests.get(cloud.url + "/healthz")
        records = (json.loads(line[6:]) for line in lines if line.startswith(b"data: "))
        assert any(record["path"] == "/healthz" for record in records)
        stream.close()

    def test_metrics(self, cloud):
        cloud.send("users/caller")
        text = cloud.session.get(cloud.url + "/metrics").text
        assert 'ckdb_requests_total{endpoint="users/caller",status="200"} 1' in text


class TestProgram:
    def test_ready_file(self, cloud):
        path = cloud.folder / "ready"
        assert json.loads(path.read_text()) == cloud.ready
        assert path.stat().st_mode & 0o777 == 0o600

    def test_end(self, make_cloud):
        """The end comes within a second, even while polls are held and pages follow."""
        for number in (signal.SIGTERM, signal.SIGINT):
            cloud = make_cloud("--log", "none")
            made = cloud.modify(*[("create", f"r{i}", {"n": i}) for i in range(50)])
            assert len(made) == 50
            stream = cloud.session.get(
                f"{cloud.url}/ckdb/1/requests", stream=True,
                headers={**cloud.admin, "Accept": "text/event-stream"})
            idle = requests.Session()
            idle.get(cloud.url + "/healthz")
            began = time.monotonic()
            assert cloud.stop(number) == 0
            assert time.monotonic() - began < 1.5
            stream.close()
            assert cloud.cli("query", "Note", "--count").strip() == "50"

    def test_port_in_use(self, cloud):
        port = str(cloud.ready["port"])
        result = subprocess.run(
            [PROGRAM, "serve", "--port", port], env=cloud.environment, capture_output=True,
            text=True)
        assert result.returncode == 69
        assert f"port {port} is in use" in result.stderr
        assert f"process {cloud.process.pid}" in result.stderr

    def test_beyond_loopback(self, cloud):
        cloud.cli("serve", "--host", "0.0.0.0", code=64)

    def test_no_store(self, tmp_path):
        result = subprocess.run(
            [PROGRAM, "serve", "--store", str(tmp_path / "none"), "--port", "0"],
            capture_output=True, text=True)
        assert result.returncode == 78

    def test_temporary(self, tmp_path):
        fixture = tmp_path / "f.json"
        fixture.write_text(json.dumps({"databases": {"public": {"zones": {"_defaultZone": {
            "records": [{"recordName": "a", "recordType": "Note", "fields": {"n": 1}}]}}}}}))
        process = subprocess.Popen(
            [PROGRAM, "serve", "--temporary", "--fixture", str(fixture), "--port", "0", "-f",
             "json", "--log", "none"],
            stdout=subprocess.PIPE, text=True, env={"TMPDIR": str(tmp_path), "PATH": "/bin"})
        ready = json.loads(process.stdout.readline())
        answer = requests.post(
            f"{ready['url']}/database/1/iCloud.org.example.fixture/development/public/"
            f"records/lookup?ckAPIToken={ready['apiToken']}",
            json={"records": [{"recordName": "a"}]}).json()
        assert answer["records"][0]["fields"]["n"]["value"] == 1
        process.terminate()
        assert process.wait(timeout=5) == 0
        assert [p for p in tmp_path.iterdir() if p.name.startswith("ckdb-")] == []

    def test_exec(self, tmp_path):
        script = (
            'curl -s "$CKDB_URL/database/1/iCloud.org.example.fixture/development/public/'
            'zones/list?ckAPIToken=$CKDB_API_TOKEN" && curl -s -o /dev/null -w "%{http_code}" '
            '-X POST -H "Authorization: Bearer $CKDB_ADMIN_TOKEN" "$CKDB_URL/ckdb/1/reset"; '
            "exit 7")
        result = subprocess.run(
            [PROGRAM, "exec", "--serve", "--keep", "never", "--", "sh", "-c", script],
            capture_output=True, text=True)
        assert result.returncode == 7, result.stderr
        assert "_defaultZone" in result.stdout and result.stdout.endswith("200")

    def test_log(self, make_cloud):
        cloud = make_cloud("--log", "json")
        cloud.send("users/caller")
        cloud.session.get(cloud.url + "/%0aforged")
        cloud.stop()
        lines = (cloud.folder / "log").read_text().splitlines()
        assert all(json.loads(line) for line in lines)
        assert cloud.token not in (cloud.folder / "log").read_text()

    def test_unix_socket(self, make_cloud, tmp_path):
        path = tmp_path / "s"
        cloud = make_cloud("--log", "none", "--unix", str(path))
        result = subprocess.run(
            ["curl", "-s", "--unix-socket", str(path), "http://any/healthz"], capture_output=True,
            text=True)
        assert result.stdout == "ok\n"
        target = f"{cloud.path('users/caller')}?{cloud.query()}"
        subprocess.run(
            ["curl", "-s", "--unix-socket", str(path), "http://any" + target], check=True)
        listed = subprocess.run(
            ["curl", "-s", "--unix-socket", str(path), "http://any/ckdb/1/requests", "-H",
             f"Authorization: {cloud.admin['Authorization']}"], capture_output=True, check=True)
        line = json.loads(listed.stdout)["requests"][-1]["curl"]
        assert line.startswith(f'curl --unix-socket {path} "http://any/database/1/')

    def test_base_path(self, make_cloud):
        cloud = make_cloud("--log", "none", "--base-path", "/cloudkit")
        assert cloud.url.endswith("/cloudkit")
        assert cloud.post("zones/list", {})["zones"]
        assert requests.get(cloud.url.removesuffix("/cloudkit") + "/healthz").status_code == 404
