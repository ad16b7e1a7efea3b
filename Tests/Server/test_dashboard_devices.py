"""The dashboard's pages of devices: keys and documents next to iCloud's side, their conflicts and
their resolution (kvs-documents.md). Each action is compared with the `ckdb` line that it shows."""

import json

import pytest

from conftest import CONTAINER
from dashboard import Browser
from twin import Twin

PLACE = f"/{CONTAINER}/development/private"
HOSTILE = ["<script>alert(1)</script>", "it's \"two\" words", "-n", "a\nb", "ü\u0301\u202e", "=x", "a:int"]


@pytest.fixture
def browser(cloud):
    """A browser on a store with two more devices."""
    for device in ("pad", "phone"):
        cloud.cli("device", "add", device, "--account", "me")
    return Browser(cloud)


def step(cloud, browser, page, action, button, values=None, files=None, contents=None):
    """Submits a form, and compares its line."""
    twin = Twin(cloud, contents, whole=True)
    page = browser.submit(page, button, values, files)
    twin.agrees(action, page.did)
    return page


class TestKeys:
    def side(self, page, device, key):
        return " ".join(page.shown(f"{device}-{key}")[0].split())

    @pytest.mark.parametrize("kind, text", [
        ("string", "text"), ("string", ""), ("integer", "-7"), ("double", "0.5"), ("bool", "true"),
        ("date", "2026-05-01T12:00:00.000Z"), ("data", "AAEC"), ("array", '[1,"a",true]'),
        ("dictionary", '{"a":{"b":1.5}}')])
    def test_types(self, cloud, browser, kind, text):
        """Every type of a property list (K04), and its removal."""
        page = step(
            cloud, browser, browser.page(f"{PLACE}/kvs"), "kvs-set", "kvs-set",
            {"key": "k", "value": text, "type": kind, "on": "pad"})
        assert kind in self.side(page, "pad", "k") and "pending" in self.side(page, "pad", "k")
        page = step(cloud, browser, page, "kvs-set", "kvs-set", {"key": "k", "type": "remove", "on": "pad"})
        assert self.side(page, "pad", "k").startswith("none")

    @pytest.mark.parametrize("text", HOSTILE)
    def test_hostile_texts(self, cloud, browser, text):
        page = step(
            cloud, browser, browser.page(f"{PLACE}/kvs"), "kvs-set", "kvs-set",
            {"key": "k", "value": text, "type": "string", "on": "cli"})
        assert "<script>alert" not in page.text

    @pytest.mark.parametrize("key, kind, text", [
        ("", "string", "x"), ("k" * 65, "string", "x"), ("k", "integer", "x"), ("k", "bool", "1x"),
        ("k", "date", "today"), ("k", "data", "!"), ("k", "array", "{}"), ("k", "none", "x"),
        ("k", "dictionary", '{"a":null}'), ("k", "double", "inf")])
    def test_refused(self, cloud, browser, key, kind, text):
        page = browser.page(f"{PLACE}/kvs")
        browser.submit(page, "kvs-set", {"key": key, "value": text, "type": kind}, status=400)
        assert cloud.cli("kvs", "list", "-f", "jsonl") == ""

    def conflict(self, cloud):
        cloud.cli("kvs", "set", "level:=1", "--device", "pad")
        cloud.cli("kvs", "sync", "--all-devices", "-u", "me")
        cloud.cli("kvs", "set", "level:=13", "--device", "phone")
        cloud.cli("kvs", "sync", "--device", "phone")
        cloud.cli("kvs", "set", "level:=7", "--device", "pad")

    @pytest.mark.parametrize("policy", ["timestamp", "server-first"])
    @pytest.mark.parametrize("keep, value", [("mine", 7), ("theirs", 13)])
    def test_conflict(self, cloud, browser, policy, keep, value):
        """Both values, and which one the next sync keeps (A5). Either can be kept, whatever the
        policy; then all devices agree."""
        cloud.cli("kvs", "policy", policy)
        self.conflict(cloud)
        page = browser.page(f"{PLACE}/kvs")
        text = " ".join(page.shown("conflict")[0].split())
        winner = "pad" if policy == "timestamp" else "iCloud"
        assert f"next sync keeps the value of {winner}" in page.text
        assert "level" in text and "pad: 7" in page.text and "iCloud: 13" in page.text
        page = step(cloud, browser, page, "kvs-resolve", f"keep-{keep}-level")
        assert not page.shown("conflict")
        page = step(cloud, browser, page, "kvs-sync", "sync-all")
        for device in ("icloud", "pad", "phone"):
            assert self.side(page, device, "level") == f"{value} integer", device

    def test_what_sync_keeps(self, cloud, browser):
        """The page foretells the result of a sync."""
        self.conflict(cloud)
        page = browser.page(f"{PLACE}/kvs")
        page = step(cloud, browser, page, "kvs-sync", "sync-pad")
        assert self.side(page, "icloud", "level") == "7 integer"
        assert "1 sent" in page.text

    def test_spellings(self, cloud, browser):
        """Keys are bytes: two spellings of a letter are two keys."""
        for key, value in (("\u00e9", "one"), ("e\u0301", "two")):
            cloud.cli("kvs", "set", f"{key}={value}")
        page = browser.page(f"{PLACE}/kvs")
        assert self.side(page, "cli", "\u00e9") == '"one" string pending'
        assert self.side(page, "cli", "e\u0301") == '"two" string pending'

    def test_keys_of_others(self, cloud, browser):
        """A page shows the keys and events of its account alone, also on a device of both."""
        cloud.cli("kvs", "set", "hers=1", "--device", "pad", "-u", "me")
        cloud.cli("kvs", "sync", "--all-devices", "-u", "me")
        cloud.cli("kvs", "sync", "--device", "phone")
        cloud.cli("device", "edit", "phone", "--account", "ann")
        page = browser.page(f"{PLACE}/kvs", **{"as": "ann"})
        # The change of the account is an event of the device, with the keys that are gone.
        assert "hers" not in page.text.split("<main")[1].split('data-testid="kvs-events"')[0]

    def test_unknown_side(self, cloud, browser):
        self.conflict(cloud)
        page = browser.page(f"{PLACE}/kvs")
        browser.submit(page, "keep-mine-level", {"keep": "bogus"}, status=400)
        assert self.side(browser.page(f"{PLACE}/kvs"), "pad", "level") == "7 integer pending"

    def test_throttled(self, cloud, browser):
        """A conflict is not said to be resolved while the device may not sync."""
        self.conflict(cloud)
        cloud.cli("kvs", "rate", "1/90s")
        page = browser.submit(browser.page(f"{PLACE}/kvs"), "keep-theirs-level", status=400)
        assert "must wait" in page.text

    def test_offline(self, cloud, browser):
        self.conflict(cloud)
        cloud.cli("device", "offline", "pad")
        page = browser.page(f"{PLACE}/kvs")
        assert "offline" in page.text
        before = cloud.cli("kvs", "list", "-f", "jsonl", "--device", "pad")
        browser.submit(page, "keep-mine-level", status=400)
        assert cloud.cli("kvs", "list", "-f", "jsonl", "--device", "pad") == before


class TestDocuments:
    def test_steps(self, cloud, browser):
        """A document is saved on a device, sent, received, downloaded, evicted and deleted (D03 to
        D12)."""
        page = browser.page(f"{PLACE}/documents")
        page = step(
            cloud, browser, page, "document-put", "document-put",
            {"path": "Documents/a.txt", "text": "one\ntwo\n", "on": "pad"})
        assert "pending" in page.text
        page = step(cloud, browser, page, "document-sync", "sync-pad")
        assert "1 sent" in page.text
        page = step(cloud, browser, page, "document-sync", "sync-phone")
        assert "not downloaded" in page.text
        page = step(cloud, browser, page, "document-download", "download-phone")
        assert cloud.cli("document", "get", "Documents/a.txt", "--device", "phone") == "one\ntwo\n"
        page = step(cloud, browser, page, "document-evict", "evict-phone")
        assert "not downloaded" in page.text
        page = step(cloud, browser, page, "document-remove", "remove-pad")
        page = step(cloud, browser, page, "document-sync", "sync-all")
        assert "No documents yet" in page.text

    def test_file(self, cloud, browser):
        page = browser.page(f"{PLACE}/documents")
        page = step(
            cloud, browser, page, "document-put", "document-put",
            {"path": "b.bin", "on": "pad"}, {"file": ("b.bin", b"\0\xff")}, {"b.bin": b"\0\xff"})
        assert "b.bin" in page.text

    @pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../b", "a\0b", "x" * 300])
    def test_refused(self, cloud, browser, path):
        page = browser.page(f"{PLACE}/documents")
        browser.submit(page, "document-put", {"path": path, "text": "x"}, status=400)
        assert cloud.cli("document", "list", "-f", "jsonl") == ""

    def conflict(self, cloud):
        cloud.cli("document", "put", "-", "Documents/a.txt", "--device", "pad", text="first")
        for _ in range(2):
            cloud.cli("document", "sync", "--all-devices", "-u", "me")
        cloud.cli("document", "download", "Documents/a.txt", "--device", "phone")
        for device in ("pad", "phone"):
            cloud.cli("document", "put", "-", "Documents/a.txt", "--device", device,
                      text=f"<b>from {device}</b>")
        for device in ("pad", "phone", "pad"):
            cloud.cli("document", "sync", "--device", device)

    @pytest.mark.parametrize("keep, kept", [("keep-0", "phone"), ("keep-1", "pad")])
    def test_conflict(self, cloud, browser, keep, kept):
        """Both versions with their contents; the chosen one becomes current on all devices (D30 to
        D34)."""
        self.conflict(cloud)
        page = browser.page(f"{PLACE}/documents")
        assert len(page.shown("version")) == 2
        assert "&lt;b&gt;from pad&lt;/b&gt;" in page.text and "from phone" in page.text
        twin = Twin(cloud, whole=True)
        page = browser.submit(page, keep)
        twin.agrees("document-resolve", page.did)
        page = browser.submit(page, "sync-all")
        assert not page.shown("version")
        for device in ("pad", "phone"):
            assert cloud.cli(
                "document", "get", "Documents/a.txt", "--device", device) == f"<b>from {kept}</b>"

    def test_keep_what_was_shown(self, cloud, browser):
        """A button keeps the version that it stands beside: not one that became current since."""
        self.conflict(cloud)
        page = browser.page(f"{PLACE}/documents")
        cloud.cli("document", "put", "-", "Documents/a.txt", "--device", "pad", text="third")
        cloud.cli("document", "sync", "--device", "pad")
        refused = browser.submit(page, "keep-0", status=404)
        assert "has no version" in refused.text
        text = browser.page(f"{PLACE}/documents").text
        assert "third" in text and "from pad" in text

    def test_keep_both(self, cloud, browser):
        """D35: the loser becomes a document of its own."""
        self.conflict(cloud)
        page = step(
            cloud, browser, browser.page(f"{PLACE}/documents"), "document-resolve", "keep-both")
        assert "Documents/a 2.txt" in page.text

    def test_without_an_account(self, cloud, browser):
        for page in ("kvs", "documents"):
            answer = browser.get(f"{PLACE}/{page}", **{"as": "none"})
            assert answer.status_code == 400 and "notAuthenticated" in answer.text


class TestSnapshots:
    def test_compare(self, cloud, browser):
        """Two states, record by record: the same differences as `snapshot diff`."""
        for name, fields in [("a", ["n:=1"]), ("b", ["n:=1", "text=old"]), ("c", ["n:=1"])]:
            cloud.cli("record", "save", "Note", "--name", name, *fields, "-d", "private")
        page = browser.page(f"{PLACE}/snapshots")
        page = step(cloud, browser, page, "snapshot-save", "snapshot-save", {"name": "before"})
        cloud.cli("record", "delete", "a", "-d", "private")
        cloud.cli("record", "save", "Note", "--name", "b", "--policy", "changed", "text=<b>", "n:=2",
                  "-d", "private")
        cloud.cli("record", "save", "Note", "--name", "d", "n:=1", "-d", "private")
        compared = browser.submit(page, "compare", {"from": "before"})
        assert compared.shown("compared") == ["1 added, 1 changed, 1 removed"]
        assert "&lt;b&gt;" in compared.text and "old" in compared.text
        lines = cloud.cli("snapshot", "diff", "before", "-f", "jsonl", code=1).splitlines()
        assert len(compared.shown("difference")) == len(lines) == 4
        page = browser.submit(page, "snapshot-save", {"name": "after"})
        compared = browser.submit(page, "compare", {"from": "before", "to": "after"})
        assert compared.shown("compared") == ["1 added, 1 changed, 1 removed"]
        compared = browser.submit(page, "compare", {"from": "after"})
        assert compared.shown("compared") == ["no differences"]
        # Whoever the page acts as, and whichever database it shows.
        for place, user in ((PLACE, "none"), (PLACE.replace("private", "public"), "ann")):
            compared = browser.page(f"{place}/compare", **{"from": "before", "as": user})
            assert compared.shown("compared") == ["1 added, 1 changed, 1 removed"]
        refused = browser.submit(page, "snapshot-save", {"name": "after"}, status=400)
        assert "constraintViolation" in refused.text

    def test_restore_and_delete(self, cloud, browser):
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        page = browser.page(f"{PLACE}/snapshots")
        page = browser.submit(page, "snapshot-save", {"name": "before"})
        cloud.cli("record", "delete", "a", "-d", "private")
        page = step(cloud, browser, page, "snapshot-restore", "restore-before")
        assert json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        assert {"before", "previous"} <= set(page.shown("snapshot"))
        page = step(cloud, browser, page, "snapshot-delete", "delete-before")
        assert "before" not in page.shown("snapshot")

    @pytest.mark.parametrize("is_later", [False, True])
    def test_restore_keeps_locked_production(self, cloud, browser, is_later):
        """A restore replaces production, too: not while it is locked and has something, now or in the
        snapshot."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        if is_later:
            cloud.cli("snapshot", "save", "before")
        cloud.cli("schema", "deploy")
        if not is_later:
            cloud.cli("snapshot", "save", "before")
        cloud.cli("record", "save", "Note", "--name", "p", "n:=1", "-d", "private", "-e", "production")
        page = browser.page(f"{PLACE}/snapshots")
        assert "locked" in browser.submit(page, "restore-before", status=400).text
        assert cloud.cli("record", "fetch", "p", "-d", "private", "-e", "production", "-f", "names")

    def load(self, cloud, browser, page, text):
        """Loads a fixture. The snapshot before it is the dashboard's own."""
        twin = Twin(cloud, {"f.json": text})
        page = browser.submit(page, "fixture-load", {}, {"file": ("f.json", text)})
        twin.agrees("fixture-load", page.did)
        return page

    def test_load_a_fixture(self, cloud, browser):
        text = json.dumps({
            "container": CONTAINER, "databases": {"private": {"zones": {"_defaultZone": {"records": [
                {"recordName": "f", "recordType": "Note", "fields": {"n": 1}}]}}}}}).encode()
        page = browser.page(f"{PLACE}/snapshots")
        page = self.load(cloud, browser, page, text)
        assert "1 created" in page.text
        before = cloud.cli("snapshot", "list", "-f", "jsonl")
        bad = browser.submit(
            page, "fixture-load", {}, {"file": ("f.json", b'{"databases": 1}')}, status=400)
        assert "1:" in bad.text
        # A refused fixture changes nothing, and its snapshot is deleted again.
        assert cloud.cli("snapshot", "list", "-f", "jsonl") == before

    def test_fixture_of_another_container(self, cloud, browser):
        """A fixture is loaded into the container of the page, whatever it names, and reads no files."""
        (cloud.store.parent / "secret.txt").write_text("secret")
        text = json.dumps({
            "container": "iCloud.org.example.other", "databases": {"private": {"zones": {
                "_defaultZone": {"records": [
                    {"recordName": "f", "recordType": "Note", "fields": {"n": 1}}]}}}}}).encode()
        page = browser.page(f"{PLACE}/snapshots")
        page = self.load(cloud, browser, page, text)
        assert "iCloud.org.example.other" not in cloud.cli("container", "list")
        files = json.dumps({
            "container": CONTAINER, "databases": {"private": {"zones": {"_defaultZone": {"records": [
                {"recordName": "g", "recordType": "Note", "fields": {
                    "a": {"file": "secret.txt"}}}]}}}}}).encode()
        browser.submit(page, "fixture-load", {}, {"file": ("f.json", files)}, status=400)

    @pytest.mark.parametrize("name", ["", "previous", "../x", "a b/c"])
    def test_refused(self, cloud, browser, name):
        before = cloud.cli("snapshot", "list", "-f", "jsonl")
        page = browser.page(f"{PLACE}/snapshots")
        browser.submit(page, "snapshot-save", {"name": name}, status=400)
        assert cloud.cli("snapshot", "list", "-f", "jsonl") == before
