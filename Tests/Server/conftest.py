"""A store that is served, and clients of it."""

import base64
import collections
import datetime
import hashlib
import json
import os
import pathlib
import socket
import subprocess
import urllib.parse

import pytest
import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CKDB_PROGRAM", str(ROOT / ".build-release" / "ckdb"))
CONTAINER = "iCloud.org.example.app"


class Cloud:
    """A store in a folder, its server, and what tests do with both."""

    def __init__(self, folder, *options, environment=None):
        self.folder = pathlib.Path(folder)
        self.store = self.folder / "store"
        self.environment = {**os.environ, "CKDB_STORE": str(self.store), **(environment or {})}
        self.cli("init", str(self.store))
        self.cli("container", "create", CONTAINER)
        self.token = self.cli("token", "create").strip()
        self.options = options
        self.start()

    def start(self):
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        self.log = open(self.folder / "log", "a")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "-f", "json", "--ready-file", str(ready)]
            + list(self.options),
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment, text=True)
        line = self.process.stdout.readline()
        assert line, (self.folder / "log").read_text()
        self.ready = json.loads(line)
        self.url = self.ready["url"]
        self.admin = {"Authorization": "Bearer " + self.ready["adminToken"]}
        self.session = requests.Session()
        self.session.verify = False
        self.session.trust_env = False

    def stop(self, signal=15):
        self.process.send_signal(signal)
        code = self.process.wait(timeout=5)
        self.log.close()
        return code

    def cli(self, *words, code=0, text=None):
        result = subprocess.run(
            [PROGRAM, *words], env=self.environment, input=text, capture_output=True, text=True)
        assert result.returncode == code, (words, result.stderr)
        return result.stdout

    def web_token(self, user):
        return self.cli("token", "sign-in", user).strip()

    def query(self, user="me", **others):
        parameters = {"ckAPIToken": self.token, **others}
        if user:
            parameters["ckWebAuthToken"] = self.web_token(user)
        return urllib.parse.urlencode(parameters)

    def path(self, endpoint, database="private", environment="development"):
        return f"/database/1/{CONTAINER}/{environment}/{database}/{endpoint}"

    def send(self, endpoint, body=None, database="private", user="me", method=None, **others):
        """The answer of an endpoint, whatever its status."""
        environment = others.pop("environment", "development")
        headers = others.pop("headers", {"Content-Type": "text/plain"})
        timeout = others.pop("timeout", None)
        url = f"{self.url}{self.path(endpoint, database, environment)}?{self.query(user, **others)}"
        return self.session.request(
            method or ("GET" if body is None else "POST"), url,
            data=None if body is None else json.dumps(body), headers=headers, timeout=timeout)

    def post(self, endpoint, body, **others):
        """The body of a successful answer."""
        answer = self.send(endpoint, body, **others)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def modify(self, *operations, **others):
        """The results of operations: (type, name, fields) or dictionaries."""
        more = {key: others.pop(key) for key in ("zoneID", "atomic") if key in others}
        written = [
            operation if isinstance(operation, dict) else {
                "operationType": operation[0],
                "record": {
                    "recordName": operation[1], "recordType": "Note",
                    "fields": {k: {"value": v} for k, v in operation[2].items()},
                },
            }
            for operation in operations
        ]
        return self.post("records/modify", {"operations": written, **more}, **others)["records"]

    @property
    def descriptors(self):
        """How many files, sockets and pipes the server has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def control(self, method, path, body=None, headers=None):
        return self.session.request(
            method, f"{self.url}/ckdb/1/{path}",
            data=None if body is None else json.dumps(body), headers=self.admin if headers is None else headers)


def own_address():
    """An address of this machine that others see. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]


class Signer:
    """Signs requests with a server-to-server key. Shares no code with the server."""

    def __init__(self, cloud, folder, environment="development"):
        from ecdsa import SigningKey

        path = pathlib.Path(folder) / f"{environment}.pem"
        self.id = cloud.cli(
            "key", "create", environment, "-o", str(path), "-e", environment).strip()
        self.key = SigningKey.from_pem(path.read_text())
        self.cloud = cloud

    def headers(self, target, body=b"", date=None):
        from ecdsa.util import sigencode_der

        now = date or datetime.datetime.now(datetime.timezone.utc)
        text = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        message = f"{text}:{digest}:{target}".encode()
        signature = self.key.sign(message, hashfunc=hashlib.sha256, sigencode=sigencode_der)
        return {
            "X-Apple-CloudKit-Request-KeyID": self.id,
            "X-Apple-CloudKit-Request-ISO8601Date": text,
            "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signature).decode(),
        }

    def send(self, endpoint, body=None, database="public", environment="development", **others):
        target = self.cloud.path(endpoint, database, environment) + others.pop("query", "")
        data = b"" if body is None else json.dumps(body).encode()
        headers = self.headers(others.pop("signed", target), data, **others)
        return self.cloud.session.request(
            "GET" if body is None else "POST", self.cloud.url + target, data=data or None,
            headers=headers)


@pytest.fixture
def cloud(tmp_path):
    """A served store of its own."""
    cloud = Cloud(tmp_path, "--log", "none", "--allow-reset")
    yield cloud
    if cloud.process.poll() is None:
        assert cloud.stop() == 0


@pytest.fixture
def make_cloud(tmp_path):
    """Makes served stores with other options."""
    made = []

    def make(*options, **others):
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Cloud(folder, *options, **others))
        return made[-1]

    yield make
    for cloud in made:
        if cloud.process.poll() is None:
            cloud.stop()


def error(answer):
    """The code and the reason of a request that failed as a whole."""
    body = answer.json()
    assert set(body) >= {"uuid", "serverErrorCode", "reason"}, body
    return answer.status_code, body["serverErrorCode"], body["reason"]


#: The security checks, by their ids: how many attempts there were, and how many passed.
CHECKS = collections.defaultdict(lambda: [0, 0])


def pytest_configure(config):
    config.addinivalue_line("markers", "check(id): a security check (reliability.md, S01 to S17)")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    mark = item.get_closest_marker("check")
    if mark and call.when == "call":
        count = dict(item.user_properties).get("attempts", 1)
        report.user_properties.append(("check", (mark.args[0], count)))
    return report


def pytest_runtest_logreport(report):
    """Counts in the process that prints the summary, wherever the test ran."""
    check = dict(report.user_properties).get("check")
    if check and report.when == "call":
        CHECKS[check[0]][0] += check[1]
        CHECKS[check[0]][1] += check[1] if report.passed else 0


def pytest_terminal_summary(terminalreporter):
    for check, (tried, passed) in sorted(CHECKS.items()):
        terminalreporter.write_line(f"{check}: {passed} of {tried} attempts")
