"""soak MINUTES: a mixed load for a long time, with kills in the first half, and what grows.

Prints what it measured. Exits with 1 if an acknowledged save is lost, the server ends by itself, or
its memory, its descriptors or the store's log grow in the second half. The medians of that half's
first and last quarter show whether a failure is growth or a moment of load."""

import os
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time

import requests

from conftest import Cloud

WRITERS, READERS, RECORDS = 4, 4, 200
# What the second half may add to what its first quarter reached.
MOST_GROWTH = {"memory": 8 << 20, "descriptors": 8, "log": 4 << 20}


class Load:
    """Clients that go on through the server's ends."""

    def __init__(self, cloud):
        self.cloud = cloud
        # An hour is longer than the half hour of a usual token.
        self.web = cloud.cli("token", "sign-in", "me", "--keep").strip()
        # Readers ask for the type from the start.
        cloud.modify(("create", "first", {"number": 0, "text": "x"}))
        self.ends = threading.Event()
        self.is_down = False
        self.acknowledged = {}
        self.answers = self.cut = 0
        self.wrong = []

    def send(self, session, endpoint, body):
        """The answer of an endpoint; None if the connection was cut."""
        try:
            answer = session.post(
                self.cloud.url + self.cloud.path(endpoint), json=body, timeout=30,
                params={"ckAPIToken": self.cloud.token, "ckWebAuthToken": self.web})
        except requests.exceptions.RequestException:
            self.cut += 1
            time.sleep(0.05)
            return None
        if answer.status_code != 200:
            self.wrong.append((endpoint, answer.status_code, answer.text[:200]))
        self.answers += 1
        return answer.json()

    def write(self, number):
        session, value, rng = requests.Session(), 0, random.Random(number)
        while not self.ends.is_set():
            value += 1
            name = f"w{number}-{rng.randrange(RECORDS)}"
            kind = "forceDelete" if rng.random() < 0.05 else "forceUpdate"
            answer = self.send(session, "records/modify", {"operations": [{
                "operationType": kind, "record": {
                    "recordName": name, "recordType": "Note",
                    "fields": {"number": {"value": value}, "text": {"value": "x" * 200}}}}]})
            if answer:
                self.acknowledged[name] = (value, kind == "forceUpdate")
            else:
                # It may have been saved or not.
                self.acknowledged.pop(name, None)

    def read(self, number):
        session, rng = requests.Session(), random.Random(number)
        while not self.ends.is_set():
            if number % 2:
                self.send(session, "records/query", {
                    "query": {"recordType": "Note", "filterBy": [{
                        "fieldName": "number", "comparator": "GREATER_THAN",
                        "fieldValue": {"value": rng.randrange(1000)}}]},
                    "zoneWide": False, "resultsLimit": 20})
            else:
                self.send(session, "changes/database", {})
            if rng.random() < 0.02:
                session.close()

    def check(self):
        """Compares what was acknowledged with what the store has."""
        session, lost = requests.Session(), 0
        names = list(self.acknowledged)
        for start in range(0, len(names), 200):
            some = names[start:start + 200]
            found = self.send(session, "records/lookup", {
                "records": [{"recordName": name} for name in some]})["records"]
            for name, record in zip(some, found):
                value, exists = self.acknowledged[name]
                stored = record.get("fields", {}).get("number", {}).get("value")
                lost += stored != (value if exists else None)
        return lost


def measure(cloud):
    """The memory and the descriptors of the server, and the bytes of the store's log."""
    pages = int(pathlib.Path(f"/proc/{cloud.process.pid}/statm").read_text().split()[1])
    logs = cloud.store.glob("containers/*/development/records.sqlite-wal")
    return {
        "memory": pages * os.sysconf("SC_PAGESIZE"), "descriptors": cloud.descriptors,
        "log": sum(path.stat().st_size for path in logs)}


def run(minutes):
    with tempfile.TemporaryDirectory() as folder:
        cloud = Cloud(folder, "--log", "none")
        load, half = Load(cloud), minutes * 30
        threads = [threading.Thread(target=load.write, args=[n]) for n in range(WRITERS)]
        threads += [threading.Thread(target=load.read, args=[n]) for n in range(READERS)]
        for thread in threads:
            thread.start()
        kills, began, samples = 0, time.monotonic(), []
        while (passed := time.monotonic() - began) < 2 * half:
            time.sleep(min(10, half / 12))
            if passed < half - 15:
                cloud.process.kill()
                cloud.process.wait()
                cloud.start()
                kills += 1
            elif passed >= half:
                if cloud.process.poll() is not None:
                    load.wrong.append(("the server ended", cloud.process.returncode, ""))
                    break
                samples.append(measure(cloud))
        load.ends.set()
        for thread in threads:
            thread.join()
        lost = load.check()
        code = cloud.stop()
        # Raises for a store that is not sound.
        cloud.cli("doctor", "--deep")
    failed = bool(lost or load.wrong or code)
    print(f"{load.answers} answers, {kills} kills, {load.cut} connections cut, {lost} saves lost, "
          f"end {code}, the store is sound")
    quarter = max(1, len(samples) // 4)
    for name, most in MOST_GROWTH.items():
        values = [sample[name] for sample in samples]
        top = max(values[:quarter])
        first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
        print(f"{name}: {top} in the first quarter, {max(values)} at most; "
              f"medians {first:.0f}, in the last quarter {last:.0f}")
        failed |= max(values) - top > most
    for fault in load.wrong[:5]:
        print("wrong:", *fault)
    return failed


if __name__ == "__main__":
    sys.exit(run(float(sys.argv[1])))
