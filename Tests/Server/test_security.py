"""Security checks of reliability.md that the tests of requests do not have: S02, S06, S08 to S15,
and S17. Those about the tool alone run here as well: a server's store has the same files."""

import csv
import io
import os
import pty
import select
import socket
import sqlite3
import stat
import subprocess
import threading
import time
import urllib.parse

import pytest

from conftest import PROGRAM

ESCAPES = "\x1b[2J\x1b]0;pwn\a\u009b31m\u202e"


def attempts(record_property, count):
    record_property("attempts", count)


@pytest.mark.check("S02")
def test_other_origins(cloud, record_property):
    """Only allowed origins read answers: no wildcard, no echo of others, `Vary` where it counts."""
    origins = {
        "https://evil.example": False, "null": False, "http://localhost.evil.example": False,
        "http://localhost:3000": True, "http://127.0.0.1": True, "https://localhost": True,
        "http://localhost@evil.example": False, "http://127.0.0.1.nip.io": False,
        "file://": False, "http://[::1]:8080": True}
    attempts(record_property, 2 * len(origins))
    for origin, is_allowed in origins.items():
        for method in ("OPTIONS", "POST"):
            answer = cloud.send(
                "records/lookup", {"records": []}, method=method,
                headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
            allowed = answer.headers.get("Access-Control-Allow-Origin")
            assert allowed == (origin if is_allowed else None), (origin, method)
            assert answer.status_code == (200 if is_allowed else 403), (origin, method)
            assert answer.headers.get("Vary") == ("Origin" if is_allowed else None)
            assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.check("S06")
@pytest.mark.parametrize("path", [
    "../x", "/etc/passwd", "a/../../x", "link", "x" * 300, "assets/../../../x", "..", "."])
def test_import_paths(cloud, path):
    """A path in imported data leads to no file outside of its own folder."""
    folder = cloud.folder / "bundle"
    folder.mkdir()
    os.symlink("/etc/passwd", folder / "link")
    line = ('{"recordName":"a","recordType":"Note","fields":{"file":{"type":"asset",'
            f'"value":{{"path":"{path}"}}}}}}}}\n')
    (folder / "data.jsonl").write_text(line)
    result = subprocess.run(
        [PROGRAM, "import", str(folder / "data.jsonl")], env=cloud.environment,
        capture_output=True, text=True)
    assert "root:" not in cloud.cli("export", "-f", "json")
    assert not list(cloud.store.rglob("passwd"))
    assert result.returncode in (0, 65, 66), result


@pytest.mark.check("S08")
@pytest.mark.parametrize("predicate", [
    "(" * 100_000 + "a == 1" + ")" * 100_000, "NOT " * 100_000 + "a == 1",
    "a IN {" + ",".join(map(str, range(1_000_000))) + "}", "text LIKE '" + "%a" * 1000 + "*a'",
    "text MATCHES '(a+)+$'", "text LIKE '" + "*a" * 200 + "b'"])
def test_predicates(cloud, predicate):
    """Each ends within two seconds, with a result or an error by name."""
    cloud.modify(("create", "r", {"text": "a" * 500_000}))
    began = time.monotonic()
    # A predicate of a megabyte does not fit into a command line.
    result = subprocess.run(
        [PROGRAM, "batch", "-"], env=cloud.environment, input=f'query Note "{predicate}"\n',
        capture_output=True, text=True)
    assert time.monotonic() - began < 2
    assert result.returncode in (0, 64, 65) and result.returncode >= 0, result.stderr[:300]


@pytest.mark.check("S09")
@pytest.mark.parametrize("change", [
    "CREATE TRIGGER evil AFTER INSERT ON _record BEGIN DELETE FROM _zone; END",
    "CREATE VIEW evil AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) "
    "SELECT * FROM c",
    "CREATE TABLE evil (n)", "ALTER TABLE _zone ADD COLUMN evil TEXT",
    "CREATE INDEX evil ON _record (name)"])
def test_foreign_schema(cloud, change):
    """What is not ours in a file is named; what could run is refused."""
    cloud.modify(("create", "r", {"text": "x"}))
    cloud.stop()
    file, = cloud.store.glob("containers/*/development/records.sqlite")
    database = sqlite3.connect(file)
    database.execute(change)
    database.commit()
    database.close()
    result = subprocess.run(
        [PROGRAM, "doctor"], env=cloud.environment, capture_output=True, text=True)
    named = "_zone" if change.startswith("ALTER") else "evil"
    assert named in result.stdout + result.stderr, result
    assert result.returncode != 0 or change.startswith(("CREATE TABLE", "CREATE INDEX")), result


@pytest.mark.check("S10")
def test_links(cloud, record_property):
    """A link in place of an asset's file gives no foreign bytes."""
    (cloud.folder / "file").write_bytes(b"own" * 1000)
    cloud.modify(("create", "r", {"text": "x"}))
    cloud.cli("asset", "put", "r", "file", str(cloud.folder / "file"), "-d", "private")
    record = cloud.post("records/lookup", {"records": [{"recordName": "r"}]})["records"][0]
    url = record["fields"]["file"]["value"]["downloadURL"].replace("${f}", "x")
    kept, = [
        path for path in cloud.store.glob("containers/**/assets/**/*")
        if path.is_file() and path.stat().st_size == 3000]
    contents, ends = kept.read_bytes(), threading.Event()

    def swap():
        other = kept.with_name("other")
        while not ends.is_set():
            os.symlink("/etc/passwd", other)
            os.replace(other, kept)
            other.write_bytes(contents)
            os.replace(other, kept)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        attempts(record_property, 1000)
        for _ in range(1000):
            assert b"root:" not in cloud.session.get(url).content
    finally:
        ends.set()
        swapper.join()


@pytest.mark.check("S11")
def test_modes(cloud, record_property):
    """Nobody else reads the store's files."""
    cloud.modify(("create", "r", {"text": "x"}))
    files = [cloud.store, *cloud.store.rglob("*")]
    attempts(record_property, len(files))
    for path in files:
        assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0, path


@pytest.mark.check("S12")
def test_history(cloud, tmp_path):
    """A token that was typed at the prompt is in no file of the home directory."""
    home = tmp_path / "home"
    home.mkdir()
    main, other = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM], stdin=other, stdout=other, stderr=other, close_fds=True,
        env={**cloud.environment, "HOME": str(home), "TERM": "xterm"})
    for line in (f"token sign-in me --token {cloud.token}", "zone list", "quit"):
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline and select.select([main], [], [], 0.3)[0]:
            os.read(main, 65536)
        os.write(main, line.encode() + b"\r")
    assert process.wait(timeout=5) == 0
    histories = [path for path in home.rglob("*") if path.is_file()]
    assert histories
    for path in histories:
        assert cloud.token not in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.check("S13")
def test_escapes(cloud, record_property):
    """No format for people, and no line of a log, passes the escapes of a record on."""
    cloud.modify(("create", "r", {"text": ESCAPES}))
    commands = [
        ["record", "list", "Note", "-f", "table"], ["query", "Note", "-f", "line"],
        ["record", "fetch", "r", "-f", "table"], ["record", "fetch", "r", "-f", "line"],
        ["record", "fetch", ESCAPES], ["zone", "show", ESCAPES], ["query", ESCAPES]]
    attempts(record_property, len(commands) + 1)
    for words in commands:
        result = subprocess.run(
            [PROGRAM, *words], env=cloud.environment, capture_output=True, text=True)
        shown = result.stdout + result.stderr
        assert not set(shown) & set("\x1b\a\u009b\u202e"), (words, shown)
    cloud.session.get(cloud.url + "/x%1b%5b2J")
    log = (cloud.folder / "log").read_text()
    assert "\x1b" not in log


@pytest.mark.check("S14")
def test_formulas(cloud, record_property):
    """A CSV for spreadsheets begins no cell as a formula."""
    values = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"]
    attempts(record_property, len(values))
    cloud.modify(*[("create", f"r{i}", {"text": value}) for i, value in enumerate(values)])
    text = cloud.cli("export", "Note", "-f", "csv", "--csv-safe", "-d", "private")
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert len(cells) == 2 * len(values) + 2
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")], text


@pytest.mark.check("S15")
@pytest.mark.parametrize("name", ["page.html", "picture.svg", "script.js", "a\"><img src=x>.png"])
def test_assets_do_not_run(cloud, name):
    """A browser saves contents, and shows texts of the sign-in page as texts."""
    (cloud.folder / "file").write_bytes(b"<script>alert(1)</script>")
    cloud.modify(("create", "r", {"text": "x"}))
    cloud.cli("asset", "put", "r", "file", str(cloud.folder / "file"), "-d", "private")
    record = cloud.post("records/lookup", {"records": [{"recordName": "r"}]})["records"][0]
    url = record["fields"]["file"]["value"]["downloadURL"]
    headers = cloud.session.get(url.replace("${f}", urllib.parse.quote(name))).headers
    assert headers["Content-Disposition"].startswith("attachment")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in headers["Content-Security-Policy"]
    page = cloud.session.get(
        cloud.url + "/sign-in", params={"ckAPIToken": cloud.token, "origin": f"http://{name}"})
    assert "<img" not in page.text
    assert page.status_code >= 400 or "script-src" in page.headers["Content-Security-Policy"]


@pytest.mark.check("S17")
@pytest.mark.parametrize("url", [
    "http://127.0.0.1:{port}/", "file:///etc/passwd", "ftp://127.0.0.1:{port}/"])
def test_no_fetching(cloud, url):
    """A URL in data is never opened."""
    with socket.socket() as trap:
        trap.bind(("127.0.0.1", 0))
        trap.listen()
        trap.settimeout(0.5)
        value = {"fileChecksum": "a" * 64, "size": 3, "receipt": "x",
                 "downloadURL": url.format(port=trap.getsockname()[1])}
        (item,) = cloud.modify({"operationType": "create", "record": {
            "recordName": "p", "recordType": "Photo", "fields": {"image": {"value": value}}}})
        assert item["serverErrorCode"] == "BAD_REQUEST"
        with pytest.raises(socket.timeout):
            trap.accept()
