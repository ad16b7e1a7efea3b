"""pull and push against a real server, through a proxy that delays, cuts and repeats (cli.md, 14)."""

import json
import os
import random
import subprocess
import threading

import pytest

from conftest import CONTAINER, PROGRAM, Cloud, Signer
from proxy import FAULTS, FaultyProxy

#: A run with more: make test-server PYTEST='-k remote' with these in the environment.
RECORDS = int(os.environ.get("CKDB_REMOTE_RECORDS", "1500"))
ASSETS = int(os.environ.get("CKDB_REMOTE_ASSETS", "60"))
KILLS = int(os.environ.get("CKDB_REMOTE_KILLS", "12"))


class Copy:
    """A store with a remote: the served one, or a proxy in front of it."""

    def __init__(self, cloud, folder, url, database="private"):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.database = database
        self.environment = {
            **os.environ, "CKDB_STORE": str(folder / "store"),
            "XDG_CONFIG_HOME": str(folder / "config"),
        }
        (folder / "token").write_text(cloud.token)
        (folder / "web").write_text(cloud.web_token("me"))
        self.run("init", str(folder / "store"))
        self.run(
            "remote", "add", "lab", "--url", url, "-C", CONTAINER, "--api-token-file",
            str(folder / "token"), "--web-auth-token-file", str(folder / "web"))

    def start(self, *words):
        return subprocess.Popen(
            [PROGRAM, *words], env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def run(self, *words, code=0, text=None):
        result = subprocess.run(
            [PROGRAM, *words], env=self.environment, input=text, capture_output=True, text=True)
        assert code is None or result.returncode == code, (words, result.returncode, result.stderr)
        return result

    def sync(self, *words, kill_after=None):
        """The exit code of a command; nil if it was killed."""
        process = self.start(*words, "-d", self.database)
        try:
            process.communicate(timeout=kill_after)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        return process.returncode


@pytest.fixture
def filled(cloud, tmp_path):
    """The server's records, with references, parents and assets."""
    cloud.cli("zone", "create", "Notes")
    lines = []
    for number in range(RECORDS):
        fields = {
            "title": f"Record {number}", "n": number, "ratio": number / 7,
            "at": {"value": 1700000000000 + number, "type": "TIMESTAMP"},
        }
        record = {"recordName": f"r{number}", "recordType": "Note", "fields": fields}
        if number > 10 and number % 5 == 0:
            record["parent"] = f"r{number % 10}"
        lines.append(json.dumps(record))
    cloud.cli("import", "-", "-z", "Notes", text="\n".join(lines))
    fill_assets(cloud.cli, tmp_path, "p")
    return cloud


def fill_assets(run, folder, prefix):
    import hashlib

    contents = folder / f"assets-{prefix}"
    contents.mkdir()
    lines = []
    for number in range(ASSETS):
        data = f"{prefix} {number} ".encode() * (20 + number % 50)
        digest = hashlib.sha256(data).hexdigest()
        (contents / digest).write_bytes(data)
        value = {"value": {"sha256": digest, "size": len(data)}, "type": "ASSET"}
        lines.append(json.dumps(
            {"recordName": f"{prefix}{number}", "recordType": "Pic", "fields": {"file": value}}))
    run("import", "-", "-z", "Notes", "--assets", str(contents), text="\n".join(lines))


def edit(run, chance, prefix, count=3):
    for _ in range(count):
        run(
            "record", "save", "Note", "--name", f"r{chance.randrange(RECORDS)}",
            f"title={prefix}{chance.random()}", "--policy", "changed", "-z", "Notes")
    run("record", "save", "Note", "--name", f"{prefix}{chance.random()}", "n:=1", "-z", "Notes")


@pytest.fixture
def through(filled, tmp_path):
    """A copy of the server, and the proxy between them."""
    proxy = FaultyProxy(filled.url)
    yield Copy(filled, tmp_path / "copy", proxy.url), proxy
    proxy.stop()


def export(run):
    return run("export", "-z", "Notes")


@pytest.mark.parametrize("rate", [0.001, 0.1])
def test_faults_and_kills(filled, through, tmp_path, rate):
    """With faults, kills and edits on both sides, nothing is lost and nothing is sent twice."""
    copy, proxy = through
    proxy.rate = rate
    chance = random.Random(7)
    for database in ("pull", "push"):
        words = [database, "lab"]
        if database == "push":
            words += ["--conflicts", "mine", "--delete"]
            fill_assets(lambda *words, text: copy.run(*words, text=text), tmp_path, "q")
        kills = 0
        for attempt in range(60 * KILLS):
            wait = chance.choice([0.05, 0.2, 0.6]) * chance.random() if kills < KILLS else None
            code = copy.sync(*words, kill_after=wait)
            kills += code is None
            assert code in (None, 0, 3, 69, 75), code
            if attempt % 4 == 0 and kills < KILLS:
                edit(filled.cli, chance, "a")
                if database == "push":
                    edit(copy.run, chance, "b")
            if kills >= KILLS and code == 0:
                break
    for _ in range(20):
        codes = copy.sync("pull", "lab"), copy.sync("push", "lab", "--conflicts", "mine")
        if codes == (0, 0):
            break
    assert codes == (0, 0)
    assert export(copy.run).stdout == export(filled.cli)
    twice = {key: count for key, count in proxy.saved.items() if count > 1}
    assert not twice
    # What was on its way when the client was killed is not there.
    again = sum(count - 1 for count in proxy.delivered.values())
    assert again <= 6 * KILLS
    assert "sound" in copy.run("doctor", "--deep").stderr


def test_nothing_is_fetched_twice(through):
    """A second pull asks only for what has changed."""
    copy, proxy = through
    assert copy.sync("pull", "lab") == 0
    pages = proxy.requests["changes/zone"]
    assert pages == -(-(RECORDS + ASSETS) // 200)
    assert sum(proxy.delivered.values()) == ASSETS
    proxy.requests.clear()
    assert copy.sync("pull", "lab") == 0
    assert proxy.requests["changes/zone"] == 0
    assert proxy.requests["assets"] == 0
    assert sum(proxy.delivered.values()) == ASSETS


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault(filled, tmp_path, fault):
    """Each fault alone, on every third request, of a pull and a push."""
    proxy = FaultyProxy(filled.url, 0.3, faults=[fault])
    copy = Copy(filled, tmp_path / "one", proxy.url)
    try:
        assert copy.sync("pull", "lab") == 0
        lines = [
            json.dumps({"recordName": f"n{i}", "recordType": "Note", "fields": {"n": i}})
            for i in range(300)
        ]
        copy.run("import", "-", "-z", "Notes", text="\n".join(lines))
        assert copy.sync("push", "lab") == 0
        assert proxy.struck[fault] > 0
        assert export(copy.run).stdout == export(filled.cli)
        assert not {key: count for key, count in proxy.saved.items() if count > 1}
    finally:
        proxy.stop()


def test_key(cloud, tmp_path):
    """A server-to-server key reaches the public database, through HTTP as it is signed."""
    cloud.cli("record", "save", "Place", "--name", "rome", "city=Rome", "-d", "public")
    signer = Signer(cloud, tmp_path)
    copy = Copy(cloud, tmp_path / "copy", cloud.url)
    copy.run(
        "remote", "add", "key", "--url", cloud.url, "-C", CONTAINER, "--key-id", signer.id,
        "--key", str(tmp_path / "development.pem"))
    assert "1 created" in copy.run("pull", "key", "Place").stderr
    assert "Rome" in copy.run("query", "Place", "-d", "public").stdout
    copy.run("record", "save", "Place", "--name", "oslo", "city=Oslo", "-d", "public")
    copy.run("push", "key")
    assert "Oslo" in cloud.cli("query", "Place", "-d", "public")
    assert copy.run("pull", "key", "-d", "private", code=77).stderr.startswith("ckdb: error: the key")


def test_shares(cloud, tmp_path):
    """A zone with a share is pulled without it."""
    cloud.cli("zone", "create", "Lists")
    cloud.cli("record", "save", "List", "--name", "a", "title=x", "-z", "Lists")
    cloud.cli("share", "create", "a", "-z", "Lists")
    copy = Copy(cloud, tmp_path / "copy", cloud.url)
    assert "1 created" in (printed := copy.run("pull", "lab").stderr)
    assert "shares left out: 1" in printed


def test_shared_database(cloud, tmp_path):
    """-d shared copies what other users share, and follows what happens to it."""
    for zone, whole in ("Lists", False), ("Plans", True):
        ann = "-z", zone, "-u", "ann"
        cloud.cli("zone", "create", *ann[1:])
        cloud.cli("record", "save", "List", "--name", "a", "title=x", *ann)
        cloud.cli("record", "save", "Item", "--name", "i", "title=milk", "--parent", "a", *ann)
        cloud.cli("record", "save", "List", "--name", "hidden", "title=no", *ann)
        root = ["--whole-zone"] if whole else ["a"]
        url = cloud.cli("share", "create", *root, "--with", "me", *ann).split()[-1]
        cloud.cli("share", "accept", url)
    lines = "import", "-", "-z", "Plans", "-u", "ann"
    cloud.cli(*lines, text="\n".join(
        json.dumps({"recordName": f"n{n}", "recordType": "Item", "fields": {"title": f"{n}"}})
        for n in range(500)))

    def same():
        copy.run("pull", "lab", "-d", "shared")
        for record_type in "List", "Item":
            words = "query", record_type, "-d", "shared", "-f", "csv", "--fields", "title"
            assert copy.run(*words).stdout == cloud.cli(*words)

    copy = Copy(cloud, tmp_path / "copy", cloud.url, "shared")
    same()
    zones = copy.run("zone", "list", "-d", "shared", "-f", "names").stdout
    assert zones == cloud.cli("zone", "list", "-d", "shared", "-f", "names")
    assert "hidden" not in copy.run("query", "List", "-d", "shared", "-z", "Lists").stdout
    lists = "-z", "Lists", "-u", "ann"
    cloud.cli("record", "save", "Item", "--name", "j", "title=eggs", "--parent", "i", *lists)
    same()
    cloud.cli("record", "delete", "j", "--yes", *lists)
    cloud.cli("record", "save", "List", "--name", "a", "title=y", "--policy", "changed", *lists)
    same()
    cloud.cli("share", "leave", "a", "-z", "Lists", "-d", "shared")
    same()
    assert "Lists" not in copy.run("zone", "list", "-d", "shared").stdout
    assert "sound" in copy.run("doctor", "--deep").stderr


def test_deleted_zone(cloud, tmp_path):
    """A zone that was deleted there and changed here is made again by --conflicts mine."""
    cloud.cli("zone", "create", "Z")
    cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-z", "Z")
    copy = Copy(cloud, tmp_path / "copy", cloud.url)
    copy.run("pull", "lab")
    cloud.cli("zone", "delete", "Z", "--yes")
    copy.run("record", "save", "Note", "--name", "a", "n:=2", "--policy", "changed", "-z", "Z")
    copy.run("record", "save", "Note", "--name", "b", "-z", "Z")
    copy.run("pull", "lab", code=3)
    copy.run("push", "lab", "--conflicts", "mine")
    assert cloud.cli("export", "-z", "Z") == copy.run("export", "-z", "Z").stdout


def test_progress(through):
    """Each style of progress goes to standard error."""
    copy, proxy = through
    proxy.faults, proxy.rate = ["delay"], 1.0
    proxy.slowness = 0.4
    printed = copy.run("pull", "lab", "-d", "private", "--progress", "plain").stderr
    assert "pull private" in printed


def test_secrets(through, filled, tmp_path):
    """No credential is in what is printed, in the words of a process, or in the store."""
    copy, proxy = through
    secrets = [filled.token, (copy.folder / "web").read_text()]
    proxy.answers["changes/database"] = (400, {"serverErrorCode": "BAD_REQUEST", "reason": "no"})
    printed = ""
    for words in (["pull", "lab", "-v"], ["remote", "check"], ["remote", "show"], ["push", "-v"]):
        result = copy.run(*words, code=None)
        printed += result.stdout + result.stderr
    proxy.answers.clear()
    proxy.faults, proxy.rate = ["delay"], 1.0
    process = copy.start("pull", "lab", "-d", "private")
    lines = set()
    while process.poll() is None:
        with open(f"/proc/{process.pid}/cmdline") as words:
            lines.add(words.read())
    printed += "".join(lines) + "".join(process.communicate())
    for path in (copy.folder / "store").rglob("*"):
        if path.is_file():
            printed += path.read_bytes().decode("latin-1")
    assert not [secret for secret in secrets if secret in printed]
    mode = (copy.folder / "config/ckdb/remotes/lab.json").stat().st_mode
    assert mode & 0o777 == 0o600


def test_certificates(make_cloud, tmp_path):
    """A certificate that no authority signed is refused, unless SSL_CERT_FILE names it."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
         "-out", certificate], check=True, capture_output=True)
    cloud = make_cloud("--log", "none", "--tls-cert", str(certificate), "--tls-key", str(key))
    cloud.cli("zone", "create", "Notes")
    cloud.cli("record", "save", "Note", "--name", "a", "-z", "Notes")
    copy = Copy(cloud, tmp_path / "copy", cloud.url)
    refused = copy.run("pull", "lab", code=69).stderr
    assert "TLS" in refused or "certificate" in refused.lower()
    copy.environment["SSL_CERT_FILE"] = str(certificate)
    assert "1 created" in copy.run("pull", "lab").stderr


def test_redirects(through):
    """A redirect to another host is not followed."""
    copy, proxy = through
    proxy.answers["users/caller"] = (302, {"location": "elsewhere"})
    assert "redirects are refused" in copy.run("pull", "lab", code=65).stderr


@pytest.mark.parametrize("code", [
    "ACCESS_DENIED", "AUTHENTICATION_FAILED", "BAD_REQUEST", "QUOTA_EXCEEDED", "ZONE_NOT_FOUND",
    "A_CODE_OF_TOMORROW",
])
def test_errors(through, code):
    """An error of the server is shown with its code and its words."""
    copy, proxy = through
    answer = {"serverErrorCode": code, "reason": "words of the server", "unknown": [1]}
    proxy.answers["zones/list"] = (400, answer)
    result = copy.run("remote", "check", code=1)
    assert f"{code}: words of the server" in result.stdout


def test_interrupt(through):
    """SIGINT ends a pull within a second, and the next one goes on."""
    copy, proxy = through
    proxy.faults, proxy.rate = ["delay"], 1.0
    process = copy.start("pull", "lab", "-d", "private")
    threading.Event().wait(0.15)
    process.send_signal(2)
    process.communicate(timeout=2)
    assert process.returncode == 130
    proxy.rate = 0
    assert copy.sync("pull", "lab") == 0


def test_prompt_and_batches(through):
    """Commands of a batch run the client of other servers, too, with what use has chosen."""
    copy, _ = through
    result = copy.run(text="pull lab -d private\nrecord fetch r1 -z Notes -f names\n")
    assert result.stdout.endswith("r1\n")
    store = copy.environment.pop("CKDB_STORE")
    result = copy.run(
        "--store", store, "-d", "private", "--jsonl", text="pull lab\nremote diff lab\n")
    pulled = json.loads(result.stdout)
    assert pulled["unchanged"] == pulled["created"] == 0 and pulled["database"] == "private"
