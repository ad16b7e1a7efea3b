"""bench [ROWS]: the server against nginx and PostgreSQL, in turns, on this machine.

Prints the medians of both and their ratio, next to the one that the project asks of itself (must)
and the one that it would like (aim). Needs wrk, nginx and curl; without PostgreSQL its line is left
out. The load and both servers share the processors, so that absolute numbers say little."""

import contextlib
import glob
import json
import os
import pathlib
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from conftest import CONTAINER, Cloud
from dashboard import Browser

ROUNDS, SECONDS, CONNECTIONS = 5, 3, 16
# Nine lookups and a save, in turns.
LIVE_RATE, LIVE_ROUNDS, LIVE_SECONDS = 1100, 7, 8
SAVE = ('{"operations":[{"operationType":"create","record":{"recordName":"n#",'
        '"recordType":"Note","fields":{"text":{"value":"a text of a note"}}}}]}')
ASSET = 1 << 30
NGINX = """
worker_processes auto; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
  open_file_cache max=100; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


def rows(path, count):
    """Writes places, a two-hundredth of them in each country."""
    rng = random.Random(57)
    with open(path, "w") as file:
        for number in range(count):
            file.write(json.dumps({
                "id": f"c{number}", "name": f"Place {rng.randrange(10**6)}",
                "country": f"C{number % 200}", "population": rng.randrange(10**7),
                "latitude": rng.uniform(-90, 90), "longitude": rng.uniform(-180, 180),
                "timezone": "Europe/Paris"}) + "\n")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Wrk:
    """Loads a server over 16 connections."""

    def __init__(self, folder):
        self.script = folder / "request.lua"

    def rate(self, url, body=None):
        """The answers in a second. `body` has # for a number that is never the same."""
        self.script.write_text("" if body is None else f"""
            local place, parts = 0, {{}}
            for part in ({json.dumps(body)} .. "#"):gmatch("(.-)#") do parts[#parts + 1] = part end
            local salt = "{time.time_ns()}-"
            function request()
              place = place + 1
              return wrk.format("POST", nil, {{["Content-Type"] = "text/plain"}},
                table.concat(parts, salt .. place))
            end""")
        output = subprocess.run(
            ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}", "-s", self.script, url],
            capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in output, output
        return float(output.split("Requests/sec:")[1].split()[0])


    def paced(self, requests, rate, seconds):
        """The 99th percentile of the times in milliseconds, and how many requests there were in a
        second. `requests` are URLs with bodies, which are sent in turns; # in a body is a number that
        is never the same. Each connection waits between its requests."""
        self.script.write_text(f"""
            local place, salt = 0, "{time.time_ns()}-"
            local requests = {{{", ".join(
                "{" + json.dumps(url) + ", " + json.dumps(body) + "}" for url, body in requests)}}}
            function delay() return {1000 * CONNECTIONS // rate} end
            function request()
              place = place + 1
              local request = requests[place % #requests + 1]
              local body = request[2]:gsub("#", salt .. place)
              return wrk.format("POST", request[1], {{["Content-Type"] = "text/plain"}}, body)
            end""")
        output = subprocess.run(
            ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--latency", "-s", self.script,
             requests[0][0]],
            capture_output=True, text=True, check=True).stdout
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
        time_ = float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
        return time_, float(output.split("Requests/sec:")[1].split()[0])


def speed(url):
    """The bytes of a download in a second."""
    return float(subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{speed_download}", url],
        capture_output=True, text=True, check=True).stdout)


@contextlib.contextmanager
def nginx(folder):
    port = free_port()
    (folder / "www").mkdir()
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
    process = subprocess.Popen(
        ["nginx", "-c", folder / "nginx.conf", "-g", "daemon off;"], stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()


@contextlib.contextmanager
def postgres(folder):
    """Yields a function that gives the insertions in a second; None without PostgreSQL."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not found:
        yield None
        return
    # PostgreSQL does not run as root.
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    home, port = folder / "postgres", str(free_port())
    home.mkdir()
    if user:
        shutil.chown(home, "postgres")

    def run(program, *words):
        return subprocess.run(
            [*user, f"{found[-1]}/{program}", *words], capture_output=True, text=True, check=True,
            cwd=home).stdout

    run("initdb", "-D", home / "data", "-A", "trust")
    run("pg_ctl", "-D", home / "data", "-o", f"-p {port} -k {home}", "-l", home / "log", "-w",
        "start")
    access = ["-h", home, "-p", port]
    run("psql", *access, "-c", "CREATE TABLE note (id bigserial PRIMARY KEY, name text UNIQUE, "
        "text text)", "postgres")
    (folder / "insert.sql").write_text(
        "INSERT INTO note (name, text) VALUES (md5(random()::text), 'a text of a note');")

    def rate():
        output = run(
            "pgbench", *access, "-n", "-c", str(CONNECTIONS), "-j", "1", "-T", str(SECONDS), "-f",
            folder / "insert.sql", "postgres")
        return float(output.split("tps = ")[1].split()[0])

    try:
        yield rate
    finally:
        run("pg_ctl", "-D", home / "data", "-m", "fast", "stop")


class Bench:
    def __init__(self, folder, count):
        self.folder = folder
        self.cloud = Cloud(folder, "--log", "none", "--allow-reset")
        rows(folder / "rows.jsonl", count)
        self.cloud.cli(
            "import", "City", str(folder / "rows.jsonl"), "--name-field", "id", "-d", "private")
        self.wrk = Wrk(folder)

    def url(self, endpoint):
        return f"{self.cloud.url}{self.cloud.path(endpoint)}?{self.cloud.query()}"

    def compare(self, name, must, aim, own, rival):
        """Measures in turns, and prints a line."""
        own()
        pairs = [(own(), rival()) for _ in range(ROUNDS)]
        mine, other = (statistics.median(side) for side in zip(*pairs))
        print(f"{name:<48} {mine:>14,.0f} {other:>14,.0f} {mine / other:>6.2f} {must:>6} {aim:>6}",
              flush=True)

    def against_file(self, name, must, aim, endpoint, body, site):
        url = self.url(endpoint)
        answer = self.cloud.post(endpoint, json.loads(body))
        (self.folder / "www" / endpoint.replace("/", "-")).write_text(
            json.dumps(answer, separators=(",", ":")))
        self.compare(
            name, must, aim, lambda: self.wrk.rate(url, body),
            lambda: self.wrk.rate(site + endpoint.replace("/", "-")))

    def asset(self, site):
        path = self.folder / "www" / "asset"
        with open(path, "wb") as file:
            for _ in range(ASSET >> 20):
                file.write(os.urandom(1 << 20))
        self.cloud.cli("record", "save", "Big", "--name", "big", "-d", "private")
        self.cloud.cli("asset", "put", "big", "file", str(path), "-d", "private")
        record = self.cloud.post("records/lookup", {"records": [{"recordName": "big"}]})
        url = record["records"][0]["fields"]["file"]["value"]["downloadURL"].replace("${f}", "x")
        self.compare(
            "download of 1 GB / nginx (bytes/s)", 0.8, "", lambda: speed(url),
            lambda: speed(site + "asset"))

    @property
    def memory(self):
        """The resident memory of the server in MB."""
        status = pathlib.Path(f"/proc/{self.cloud.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def live(self):
        """The cost of a live view for the requests that it shows."""
        browser = Browser(self.cloud)
        cookies = "; ".join(f"{c.name}={c.value}" for c in browser.session.cookies)
        view = f"{self.cloud.url}/{CONTAINER}/development/private/live/events"
        requests = 9 * [(self.url("records/lookup"), '{"records":[{"recordName":"c7"}]}')]
        requests.append((self.url("records/modify"), SAVE))
        results = {False: [], True: []}
        self.wrk.paced(requests, LIVE_RATE, 2)
        for turn in range(2 * LIVE_ROUNDS):
            is_open = turn % 2 == 1
            events = self.folder / "events"
            with open(events, "w") as file:
                process = subprocess.Popen(
                    ["curl", "-sN", "-H", f"Cookie: {cookies}", view], stdout=file) if is_open else None
                results[is_open].append(
                    (*self.wrk.paced(requests, LIVE_RATE, LIVE_SECONDS), self.memory))
                if process:
                    process.terminate()
                    process.wait()
        without, with_view = (
            [statistics.median(column) for column in zip(*results[key])] for key in (False, True))
        text = events.read_text()
        shown = text.count("<tr>")
        omitted = sum(map(int, re.findall(r"event: omitted\ndata: (\d+)", text)))
        print(f"{'p99 with a live view / without one (ms)':<48} {with_view[0]:>14,.2f} "
              f"{without[0]:>14,.2f} {with_view[0] / without[0]:>6.2f} {1.1:>6} {'':>6}")
        print(f"  {with_view[1]:,.0f} and {without[1]:,.0f} requests/s; {shown:,} events shown, "
              f"{omitted:,} left out; {with_view[2]:,.0f} and {without[2]:,.0f} MB")


def main():
    for program in ("wrk", "nginx", "curl"):
        if not shutil.which(program):
            sys.exit(f"bench: needs {program}")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        # nginx and PostgreSQL run as other users.
        folder.chmod(0o755)
        site = stack.enter_context(nginx(folder))
        bench = Bench(folder, count)
        stack.callback(bench.cloud.stop)
        print(f"{'':<48} {'ckdb':>14} {'rival':>14} {'ratio':>6} {'must':>6} {'aim':>6}")
        bench.against_file(
            "lookup of a record / nginx, its file (1/s)", 0.3, 0.5, "records/lookup",
            '{"records":[{"recordName":"c7"}]}', site)
        bench.against_file(
            f"first 20 of {count:,} / nginx, its file (1/s)", 0.15, "", "records/query",
            '{"query":{"recordType":"City","filterBy":[{"comparator":"EQUALS",'
            '"fieldName":"country","fieldValue":{"value":"C7","type":"STRING"}}]},'
            '"resultsLimit":20}', site)
        rate = stack.enter_context(postgres(folder))
        if rate:
            bench.compare(
                "save of a record / INSERT of pgbench (1/s)", 0.7, 1.0,
                lambda: bench.wrk.rate(bench.url("records/modify"), SAVE), rate)
        bench.asset(site)
        bench.live()


if __name__ == "__main__":
    main()
