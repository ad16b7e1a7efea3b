"""The actions of the dashboard (cli.md §16): each does what its form says, can be undone, and shows a
`ckdb` line that does the same to a twin of the store."""

import json
import os
import pathlib
import re

import pytest

from conftest import CONTAINER
from dashboard import Browser, Page
from twin import LIBRARY, Twin

PLACE = f"/{CONTAINER}/development/private"
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360"
    "606060000000050001a5f645400000000049454e44ae426082")


@pytest.fixture
def browser(cloud):
    return Browser(cloud)


def save(browser, page, values, files=None, status=200):
    return browser.submit(page, "edit", values, files, status)


class TestSaving:
    def test_new_type(self, cloud, browser):
        """Saving a record creates its type and fields (R1.2.1), of every type of the schema."""
        twin = Twin(cloud, {"a.txt": b"contents"})
        values = [
            ("title", "string", "It's\n\"two\" lines"), ("number", "int64", "-7"),
            ("real", "double", "0.5"), ("at", "timestamp", "2026-05-01T12:00:00+02:00"),
            ("raw", "bytes", "AAEC"), ("place", "location", "51.5,-0.09,12"),
            ("author", "reference", "someone"), ("tags", "list<string>", '["a","b, c"]'),
            ("numbers", "list<int64>", "[1,2]"), ("secret", "encrypted<string>", "psst"),
            ("file", "asset", ""),
        ]
        page = browser.page(f"{PLACE}/new")
        form = {"type": "Thing", "name": "it's"}
        for place, (name, kind, text) in enumerate(values):
            form |= {f"new.{place}": name, f"newtype.{place}": kind, f"newvalue.{place}": text}
        edit = page.form("edit")
        edit.files = [f"newfile.{len(values) - 1}"]
        done = save(browser, page, form, {f"newfile.{len(values) - 1}": ("a.txt", b"contents")})
        assert done.answer.url.endswith("/record/it%27s?zone=_defaultZone&done=1"), done.answer.url
        record = json.loads(cloud.cli(
            "record", "fetch", "it's", "-d", "private", "-f", "jsonl"))
        fields = record["fields"]
        assert fields["title"] == "It's\n\"two\" lines" and fields["number"] == -7
        assert fields["tags"] == ["a", "b, c"] and fields["numbers"] == [1, 2]
        assert fields["place"] == {"latitude": 51.5, "longitude": -0.09, "altitude": 12}
        assert fields["at"] == "2026-05-01T10:00:00.000Z" and fields["secret"] == "psst"
        twin.agrees("record-save", done.did)

    def every_field(self, cloud):
        cloud.cli(
            "record", "save", "Thing", "--name", "a", "title=old", "empty=", "none=x", "number:=1",
            "real:=0.5", "at:timestamp=2026-05-01T12:00:00Z", "raw:bytes=AAEC",
            "place:location=51.5,-0.09", "author:reference=someone,DELETE_SELF", 'tags:=["a","b"]',
            "secret:encrypted<string>=psst", "lines=one\ntwo", "crlf=one\r\ntwo", 'odd:=["","x\\ny"]',
            'full:={"latitude":1,"longitude":2,"speed":3}', "-d", "private")
        cloud.cli("record", "save", "Thing", "--name", "someone", "-d", "private")

    def test_unchanged(self, cloud, browser):
        """A form that is sent as it came changes nothing, whatever browsers do to line ends."""
        self.every_field(cloud)
        before = cloud.cli("export", "-d", "private")
        page = browser.page(f"{PLACE}/edit/a")
        save(browser, page, {})
        assert cloud.cli("export", "-d", "private") == before

    @pytest.mark.parametrize("values, field, stored", [
        ({"f.title": "new"}, "title", "new"),
        ({"f.title": ""}, "title", None),
        ({"f.title": "", "empty.title": "1"}, "title", ""),
        ({"empty.empty": None}, "empty", None),
        ({"f.title": "two\nlines\n"}, "title", "two\nlines\n"),
        ({"f.title": "\nfirst line empty"}, "title", "\nfirst line empty"),
        ({"f.number": "9223372036854775807"}, "number", 9223372036854775807),
        ({"f.number": ""}, "number", None),
        ({"f.real": "-1e300"}, "real", -1e300),
        ({"f.at": "2026-05-01T12:00", "second.at": "+02:00"}, "at", "2026-05-01T10:00:00.000Z"),
        ({"f.at": "2026-05-01T12:00:01.5", "second.at": "Z"}, "at", "2026-05-01T12:00:01.500Z"),
        ({"f.at": ""}, "at", None),
        ({"f.raw": "/w=="}, "raw", "/w=="),
        ({"f.raw": "", "empty.raw": "1"}, "raw", ""),
        ({"second.place": "10"}, "place", {"latitude": 51.5, "longitude": 10}),
        ({"f.place": "", "second.place": ""}, "place", None),
        ({"f.author": "a", "second.author": "NONE"}, "author",
     {"recordName": "a", "action": "NONE"}),
        ({"f.author": ""}, "author", None),
        ({"f.tags": ["a", "", "c"]}, "tags", ["a", "c"]),
        ({"f.tags": [""]}, "tags", None),
        ({"f.tags": [""], "empty.tags": "1"}, "tags", []),
        ({"json.odd": '["","y"]'}, "odd", ["", "y"]),
        ({"json.full": ""}, "full", None),
        ({"f.secret": "other"}, "secret", "other"),
        ({"parent": "someone"}, None, None),
        ({"new.0": "extra", "newtype.0": "double", "newvalue.0": "1.5"}, "extra", 1.5),
    ])
    def test_edit(self, cloud, browser, values, field, stored):
        """Each type is edited in its own way; none, empty and multi-line texts stay apart."""
        self.every_field(cloud)
        before = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        twin = Twin(cloud)
        done = save(browser, browser.page(f"{PLACE}/edit/a"), values)
        record = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        if field is None:
            assert record["parent"] == "someone"
        else:
            assert record["fields"].get(field) == stored
        others = {name: value for name, value in record["fields"].items() if name != field}
        assert others == {k: v for k, v in before["fields"].items() if k != field}
        twin.agrees("record-save", done.did)
        # Undo puts back the record, and its line does the same.
        twin = Twin(cloud)
        undone = browser.submit(done, "undo")
        assert "Put back 1 record" in undone.text
        again = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        assert again["fields"] == before["fields"] and again.get("parent") == before.get("parent")
        twin.agrees("undo", undone.did)

    def test_parent_removed(self, cloud, browser):
        self.every_field(cloud)
        cloud.cli(
            "record", "save", "Thing", "--name", "child", "--parent", "a", "-d", "private")
        twin = Twin(cloud)
        done = save(browser, browser.page(f"{PLACE}/edit/child"), {"parent": ""})
        record = json.loads(cloud.cli("record", "fetch", "child", "-d", "private", "-f", "jsonl"))
        assert "parent" not in record
        twin.agrees("record-save", done.did)

    def test_assets(self, cloud, browser):
        """An asset is uploaded, shown, downloaded, kept and removed."""
        cloud.cli("record", "save", "Thing", "--name", "a", "title=x", "-d", "private")
        page = browser.page(f"{PLACE}/edit/a")
        page.form("edit").files = ["newfile.0"]
        done = save(
            browser, page, {"new.0": "image", "newtype.0": "asset"}, {"newfile.0": ("p.png", PICTURE)})
        assert 'class="preview"' in done.text
        file = browser.get(done.links["download"][0])
        assert file.content == PICTURE
        assert "attachment" in file.headers["Content-Disposition"]
        assert "sandbox" in file.headers["Content-Security-Policy"]
        picture = browser.get(done.links["download"][0].replace("use=file", "use=picture"))
        assert picture.headers["Content-Type"] == "image/png" and picture.content == PICTURE
        twin = Twin(cloud, {"other.html": b"<script>alert(1)</script>"})
        done = save(
            browser, browser.page(f"{PLACE}/edit/a"), {"keep.image": None},
            {"file.image": ("../../other.html", b"<script>alert(1)</script>")})
        twin.agrees("record-save", done.did)
        file = browser.get(done.links["download"][0].replace("use=file", "use=picture"))
        assert file.headers["Content-Type"] == "application/octet-stream"
        assert "sandbox" in file.headers["Content-Security-Policy"]
        undone = browser.submit(done, "undo")
        assert browser.get(undone.links["download"][0]).content == PICTURE
        done = save(browser, browser.page(f"{PLACE}/edit/a"), {"keep.image": None})
        assert not done.links.get("download")

    @pytest.mark.parametrize("values, problem", [
        ({"f.number": "seven"}, "expected INT64, found &#39;seven&#39;|expected INT64, found 'seven'"),
        ({"f.at": "yesterday"}, "expected TIMESTAMP"), ({"f.raw": "###"}, "expected BYTES"),
        ({"f.place": "91"}, "expected a latitude"), ({"f.place": ""}, "expected a latitude"),
        ({"f.place": "51,5"}, "expected a latitude"), ({"third.place": "high"}, "an altitude"),
        ({"f.at": "2026-06-01T12:00", "second.at": "Europe/Berlin"}, "expected TIMESTAMP"),
        ({"new.0": "title", "newvalue.0": "x"}, "has the field"),
        ({"json.odd": "[1"}, "expected LIST"), ({"parent": "_no"}, ""),
        ({"new.0": "a b", "newvalue.0": "x"}, ""), ({"new.0": "new"}, "needs a value")])
    def test_faults(self, cloud, browser, values, problem):
        """A value that does not fit is refused beside its control, and the others are kept."""
        import re
        self.every_field(cloud)
        before = cloud.cli("export", "-d", "private")
        page = save(
            browser, browser.page(f"{PLACE}/edit/a"), {"f.title": "kept", **values}, status=400)
        assert re.search(problem, page.text) and 'class="problem"' in page.text
        assert ("f.title", "kept") in page.form("edit").fields
        for name, value in values.items():
            assert (name, value) in page.form("edit").fields
        assert cloud.cli("export", "-d", "private") == before

    def test_conflict(self, cloud, browser):
        """A version that was changed meanwhile is not overwritten (R4.1): the form shows both sides,
        merges what only one side changed, and saves over the server's version."""
        cloud.cli(
            "record", "save", "Thing", "--name", "a", "mine=1", "theirs=1", "both=1", "-d", "private")
        page = browser.page(f"{PLACE}/edit/a")
        cloud.cli(
            "record", "save", "Thing", "--name", "a", "--policy", "changed", "theirs=2", "both=2",
            "-d", "private")
        conflict = save(browser, page, {"f.mine": "3", "f.both": "3"}, status=409)
        assert conflict.shown("conflict")
        merges = conflict.shown("merge")
        assert len(merges) == 2 and any("both sides" in text for text in merges)
        fields = dict(conflict.form("edit").fields)
        assert (fields["f.mine"], fields["f.theirs"], fields["f.both"]) == ("3", "2", "3")
        twin = Twin(cloud)
        done = save(browser, conflict, {})
        record = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        assert record["fields"] == {"mine": "3", "theirs": "2", "both": "3"}
        twin.agrees("record-save", done.did)

    @pytest.mark.parametrize("value", [
        "\u0001", "a\u000bb\u001b[31m", "\ufffe", "a\rb", "a\r\nb\n", "\n", " ", "\t\u00a0", "e\u0301"])
    def test_unusual_texts(self, cloud, browser, value):
        """Editing another field keeps every text as it is, whatever HTML can contain."""
        cloud.cli(
            "record", "save", "Thing", "--name", "a", f"text:={json.dumps(value)}", "n:=1",
            "-d", "private")
        twin = Twin(cloud)
        done = save(browser, browser.page(f"{PLACE}/edit/a"), {"f.n": "2"})
        record = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        assert record["fields"] == {"text": value, "n": 2}
        twin.agrees("record-save", done.did)

    def test_names_with_blanks(self, cloud, browser):
        """Blanks belong to names: the form of one record never saves another."""
        for name in ["a", " a "]:
            cloud.cli(
                "record", "save", "Thing", "--name", name, "n:=1", "link:reference= a ",
                'links:=[{"recordName":" a "}]', "-d", "private")
        cloud.cli(
            "record", "save", "Thing", "--name", "child", "--parent", " a ", "n:=1", "-d", "private")
        for path, name in [("%20a%20", " a "), ("child", "child")]:
            before = json.loads(cloud.cli("record", "fetch", name, "-d", "private", "-f", "jsonl"))
            save(browser, browser.page(f"{PLACE}/edit/{path}"), {"f.n": "2"})
            after = json.loads(cloud.cli("record", "fetch", name, "-d", "private", "-f", "jsonl"))
            assert after["fields"] == {**before["fields"], "n": 2}
            assert after.get("parent") == before.get("parent")
        other = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        assert other["fields"]["n"] == 1

    def test_file_chosen_before_a_fault(self, cloud, browser):
        """Browsers do not send a file twice: the page says that it must be chosen again."""
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "file:asset@/etc/hostname",
                  "-d", "private")
        page = save(
            browser, browser.page(f"{PLACE}/edit/a"), {"f.n": "x"},
            {"file.file": ("new.txt", b"new")}, status=400)
        assert "choose the file again: new.txt" in page.text

    def test_field_dropped_meanwhile(self, cloud, browser):
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "gone=x", "-d", "private")
        page = browser.page(f"{PLACE}/edit/a")
        cloud.cli("schema", "drop", "Thing.gone", "--yes")
        refused = save(browser, page, {"f.gone": "lost", "f.n": "2"}, status=400)
        assert "no field &#39;gone&#39;" in refused.text or "no field 'gone'" in refused.text
        assert '"n":1' in cloud.cli("export", "-d", "private")

    def test_conflict_hides_encrypted_values(self, cloud, browser):
        cloud.cli("record", "save", "Thing", "--name", "a", "secret:encrypted<string>=psst", "n:=1",
                  "-d", "private")
        page = browser.page(f"{PLACE}/edit/a")
        cloud.cli("record", "save", "Thing", "--name", "a", "--policy", "changed", "secret=other",
                  "-d", "private")
        conflict = save(browser, page, {"f.n": "2"}, status=409)
        assert "psst" not in "".join(conflict.shown("merge"))

    def test_new_name_taken(self, cloud, browser):
        cloud.cli("record", "save", "Thing", "--name", "a", "title=x", "-d", "private")
        page = save(
            browser, browser.page(f"{PLACE}/new/Thing"), {"name": "a", "f.title": "y"}, status=400)
        assert "serverRecordChanged" in page.text
        assert ("name", "a") in page.form("edit").fields


class TestSelection:
    def records(self, cloud):
        cloud.cli("zone", "create", "Z", "-d", "private")
        for name in ["blake", "turner"]:
            cloud.cli("record", "save", "Artist", "--name", name, f"name={name}", "-d", "private")
        for place in range(4):
            cloud.cli(
                "record", "save", "Work", "--name", f"w{place}", "year:=1800",
                "artist:reference=blake,DELETE_SELF", "-d", "private")
        cloud.cli("record", "save", "Artist", "--name=-x", "name=hyphen", "-d", "private")
        cloud.cli("record", "save", "Artist", "--name", "z", "name=z", "-d", "private", "-z", "Z")

    def select(self, page, *names):
        form = page.form("delete")
        form.set("record", list(names))
        return page

    def test_delete(self, cloud, browser):
        """Deleting shows what goes with it (R5.4), saves a snapshot, and can be undone."""
        self.records(cloud)
        before = cloud.cli("export", "-d", "private")
        table = browser.page(f"{PLACE}/records/Artist")
        page = browser.submit(self.select(
            table, "_defaultZone/blake", "_defaultZone/-x", "Z/z"), "delete")
        assert "w0" in page.text and "4" in page.shown("cascade")[0] or "w3" in page.text
        assert cloud.cli("export", "-d", "private") == before
        twin = Twin(cloud)
        done = browser.submit(page, "confirm")
        assert "Deleted 7 records, 4 of them with others" in done.text
        twin.agrees("records-delete", done.did)
        assert "dashboard-" in cloud.cli("snapshot", "list")
        twin = Twin(cloud)
        undone = browser.submit(done, "undo")
        assert "Put back 7 records" in undone.text
        assert self.values(cloud.cli("export", "-d", "private")) == self.values(before)
        twin.agrees("undo", undone.did)

    def values(self, export):
        """The records without their versions."""
        return sorted(
            json.dumps({k: v for k, v in json.loads(line).items() if k not in (
                "changeTag", "created", "modified")}, sort_keys=True)
            for line in export.splitlines())

    def test_delete_refused(self, cloud, browser):
        """A parent of a record that stays is not deleted (R5.9), and the page says why before."""
        self.records(cloud)
        cloud.cli(
            "record", "save", "Work", "--name", "child", "--parent", "turner", "-d", "private")
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Artist"), "_defaultZone/turner"), "delete")
        assert "referenceViolation" in page.text
        refused = browser.submit(page, "confirm", status=400)
        assert "referenceViolation" in refused.text
        cloud.cli("record", "fetch", "turner", "-d", "private")

    def test_edit(self, cloud, browser):
        self.records(cloud)
        table = browser.page(f"{PLACE}/records/Work")
        page = browser.submit(self.select(table, "_defaultZone/w1", "_defaultZone/w3"), "edit")
        twin = Twin(cloud)
        done = browser.submit(page, "save", {"set.year": "1", "f.year": "1900"})
        assert "Set year of 2 records" in done.text
        twin.agrees("records-edit", done.did)
        # A record that has changed since stays as it is, and is named.
        cloud.cli(
            "record", "save", "Work", "--name", "w3", "--policy", "changed", "year:=7",
            "-d", "private")
        undone = browser.submit(done, "undo")
        assert "Put back 1 record<" in undone.text and "changed since: w3" in undone.text
        years = {
            name: json.loads(cloud.cli("record", "fetch", name, "-d", "private", "-f", "jsonl"))[
                "fields"]["year"] for name in ("w1", "w3")}
        assert years == {"w1": 1800, "w3": 7}

    def test_edit_assets(self, cloud, browser):
        """Several records get the same file, and the line that cannot have it is left out."""
        self.records(cloud)
        cloud.cli("record", "save", "Work", "--name", "w0", "--policy", "changed",
                  "file:asset@/etc/hostname", "-d", "private")
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Work"), "_defaultZone/w1", "_defaultZone/w2"), "edit")
        done = browser.submit(
            page, "save", {"set.file": "1"}, {"file.file": ("new.txt", b"new")})
        assert "Set file of 2 records" in done.text and not done.did
        for name in ("w1", "w2"):
            page = browser.page(f"{PLACE}/record/{name}")
            assert browser.get(page.links["download"][0]).content == b"new"

    def test_edit_without_marks(self, cloud, browser):
        self.records(cloud)
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Work"), "_defaultZone/w1"), "edit")
        assert "No field is marked" in browser.submit(page, "save", {"f.year": "7"}, status=400).text

    def test_undo_after_a_change(self, cloud, browser):
        """What has changed since is not put back, even if its old assets are gone."""
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "file:asset@/etc/hostname",
                  "-d", "private")
        done = save(browser, browser.page(f"{PLACE}/edit/a"), {"f.n": "2"})
        cloud.cli("record", "delete", "a", "-d", "private")
        undone = browser.submit(done, "undo")
        assert "Put back 0 records" in undone.text and "changed since: a" in undone.text

    def test_undo_that_is_refused(self, cloud, browser):
        """An undo that a rule refuses says why, and can be tried again."""
        done = save(browser, browser.page(f"{PLACE}/new"), {
            "type": "Thing", "name": "a", "new.0": "n", "newvalue.0": "x"})
        cloud.cli(
            "record", "save", "Thing", "--name", "other", 'a:={"recordName":"a","action":"VALIDATE"}',
            "-d", "private")
        undone = browser.submit(done, "undo")
        assert "Put back 0 records" in undone.text and "changed since" not in undone.text
        cloud.cli("record", "delete", "other", "-d", "private")
        assert "Put back 1 record" in browser.submit(done, "undo").text

    def test_snapshots(self, cloud, browser):
        """Ten snapshots of the dashboard are kept, those of users always, of refused actions never;
        what has lost its snapshot cannot be undone."""
        self.records(cloud)
        for name in ["dashboard-1", "dashboard-zz"]:
            cloud.cli("snapshot", "save", name)
        first = None
        for place in range(12):
            cloud.cli("record", "save", "Artist", "--name", f"x{place}", "name=x", "-d", "private")
            page = browser.submit(self.select(
                browser.page(f"{PLACE}/records/Artist"), f"_defaultZone/x{place}"), "delete")
            done = browser.submit(page, "confirm")
            first = first or done
        names = cloud.cli("snapshot", "list", "-f", "names").split()
        # The server saves server-start, for resets.
        names.remove("server-start")
        assert {"dashboard-1", "dashboard-zz"} <= set(names) and len(names) == 12
        browser.submit(first, "undo", status=404)
        again = browser.page(first.answer.url.removeprefix(cloud.url))
        assert not any("undo" in form.buttons for form in again.forms)
        assert "Put back 1 record" in browser.submit(done, "undo").text
        cloud.cli(
            "record", "save", "Work", "--name", "child", "--parent", "turner", "-d", "private")
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Artist"), "_defaultZone/turner"), "delete")
        browser.submit(page, "confirm", status=400)
        assert set(cloud.cli("snapshot", "list", "-f", "names").split()) == {*names, "server-start"}

    def test_lost_answer(self, cloud, browser):
        """A deletion whose answer is lost is done (R12, serverResponseLost): its snapshot stays."""
        self.records(cloud)
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Artist"), "_defaultZone/turner"), "delete")
        cloud.cli("fault", "add", "--operation", "delete", "--code", "serverResponseLost", "--after",
                  "--times", "1")
        lost = browser.submit(page, "confirm", status=400)
        assert "serverResponseLost" in lost.text
        cloud.cli("record", "fetch", "turner", "-d", "private", code=1)
        names = cloud.cli("snapshot", "list", "-f", "names").split()
        assert [name for name in names if name.startswith("dashboard-")]

    def test_many_at_once(self, cloud, browser):
        """Actions at the same moment have snapshots of their own."""
        import concurrent.futures
        for place in range(8):
            cloud.cli("record", "save", "Artist", "--name", f"x{place}", "name=x", "-d", "private")
        pages = [browser.submit(self.select(
            browser.page(f"{PLACE}/records/Artist"), f"_defaultZone/x{place}"), "delete")
            for place in range(8)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda page: browser.submit(page, "confirm"), pages))
        assert all("Deleted 1 record" in page.text for page in done)

    def test_shares(self, cloud, browser):
        """Deleting the root of a share says that it ends, before and after."""
        cloud.cli("zone", "create", "Z", "-d", "private")
        cloud.cli("record", "save", "Artist", "--name", "root", "name=x", "-d", "private", "-z", "Z")
        cloud.cli("share", "create", "root", "-z", "Z")
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Artist"), "Z/root"), "delete")
        assert "the share ends" in page.text
        done = browser.submit(page, "confirm")
        assert "has ended; Undo does not put it back" in done.text

    def test_undo_once(self, cloud, browser):
        self.records(cloud)
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Artist"), "_defaultZone/turner"), "delete")
        done = browser.submit(page, "confirm")
        browser.submit(done, "undo")
        assert "undone already" in browser.submit(done, "undo", status=404).text

    def test_fixture(self, cloud, browser, make_cloud):
        """A selection as a fixture, which another store loads."""
        self.records(cloud)
        page = browser.submit(self.select(
            browser.page(f"{PLACE}/records/Work"), "_defaultZone/w0", "_defaultZone/w1"), "fixture")
        text = page.text[page.text.index("<textarea"):]
        import html
        text = html.unescape(text[text.index(">") + 1:text.index("</textarea>")])
        other = make_cloud("--log", "none")
        other.cli("fixture", "load", "-", text=text)
        assert other.cli("query", "Work", "-d", "private", "-f", "names").split() == ["w0", "w1"]

    def test_export(self, cloud, browser):
        self.records(cloud)
        answer = browser.get(f"{PLACE}/export/Work", where="year == 1800", sort="-year")
        shown = [json.loads(line)["recordName"] for line in answer.text.splitlines()]
        listed = cloud.cli(
            "query", "Work", "year == 1800", "--sort=-year", "-d", "private", "-f", "names").split()
        assert shown == listed and "Work.jsonl" in answer.headers["Content-Disposition"]


class TestImport:
    LINES = b'{"recordName":"a","fields":{"n":1}}\n{"recordName":"b","fields":{"n":2}}\n'

    def choose(self, browser, contents, name="Thing.jsonl", kind="Thing"):
        page = browser.page(f"{PLACE}/import", type=kind)
        return browser.submit(page, "try", {"type": kind}, {"file": (name, contents)})

    def test_import(self, cloud, browser):
        """A file is tried first, then imported as `ckdb import` does, and can be undone."""
        before = cloud.cli("export", "-d", "private")
        page = self.choose(browser, self.LINES)
        assert page.shown("dry-run")[0] == "2 created, 0 changed, 0 unchanged (dry run)"
        assert cloud.cli("export", "-d", "private") == before
        twin = Twin(cloud, {"Thing.jsonl": self.LINES})
        done = browser.submit(page, "confirm")
        twin.agrees("import", done.did)
        undone = browser.submit(done, "undo")
        assert "Put back 2 records" in undone.text
        assert cloud.cli("export", "-d", "private") == before

    def test_names_from_field(self, cloud, browser):
        page = self.choose(browser, b"id,n\n7,1\n8,2\n", "Thing.csv")
        page = browser.submit(page, "again", {"name-field": "id"})
        twin = Twin(cloud, {"Thing.csv": b"id,n\n7,1\n8,2\n"})
        done = browser.submit(page, "confirm")
        assert cloud.cli("query", "Thing", "-d", "private", "-f", "names").split() == ["7", "8"]
        twin.agrees("import", done.did)

    def test_conflicts(self, cloud, browser):
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=7", "-d", "private")
        page = self.choose(browser, self.LINES)
        assert page.shown("faults") and "confirm" not in page.form("again").buttons
        page = browser.submit(page, "again", {"policy": "changed"})
        assert page.shown("dry-run")[0].startswith("1 created, 1 changed")
        twin = Twin(cloud, {"Thing.jsonl": self.LINES})
        done = browser.submit(page, "confirm")
        twin.agrees("import", done.did)
        browser.submit(done, "undo")
        assert cloud.cli("query", "Thing", "-d", "private", "-f", "names").split() == ["a"]

    def test_repeated_names(self, cloud, browser):
        line = b'{"recordName":"a","fields":{"n":1}}\n'
        done = browser.submit(self.choose(browser, line + line), "confirm")
        assert "Put back 1 record" in browser.submit(done, "undo").text

    @pytest.mark.parametrize("options", [{"name-field": "a b"}, {"type": "a b"}])
    def test_wrong_options(self, cloud, browser, options):
        page = browser.page(f"{PLACE}/import")
        browser.submit(page, "try", options, {"file": ("Thing.jsonl", self.LINES)}, status=400)

    @pytest.mark.parametrize("back", ["?", "", "https://evil.example/", "//evil.example"])
    def test_back(self, cloud, browser, back):
        """Whatever address a form asks to return to, the browser stays here."""
        page = self.choose(browser, self.LINES)
        done = browser.submit(page, "confirm", {"back": back})
        undone = browser.submit(done, "undo")
        assert undone.answer.url.startswith(cloud.url) and "Put back 2 records" in undone.text

    @pytest.mark.parametrize("contents, name", [
        (b"{\"recordName\":\"a\",\n", "x.jsonl"), (b"\xff\xfe", "x.csv"), (b"", "x.json"),
        (b"{\"recordName\":\"_bad\",\"n\":1}\n", "x.jsonl"), (b"[" * 100000, "x.json")])
    def test_malformed(self, cloud, browser, contents, name):
        before = cloud.cli("export", "-d", "private")
        page = self.choose(browser, contents, name)
        assert page.status == 200
        assert cloud.cli("export", "-d", "private") == before

    def test_large(self, cloud, browser):
        """A file larger than any buffer arrives whole."""
        lines = b"".join(
            b'{"recordName":"r%d","fields":{"text":"%s"}}\n' % (i, b"x\r\n--".replace(b"\r\n", b" ") * 50)
            for i in range(20_000))
        page = self.choose(browser, lines)
        assert page.shown("dry-run")[0].startswith("20,000 created")


class TestSchema:
    def test_index(self, cloud, browser):
        """An index that a query needs is one click away (R7.3.7), and the query then works."""
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "-d", "private")
        cloud.cli("schema", "index", "Thing", "n", "--none")
        page = browser.page(f"{PLACE}/records/Thing", where="n == 1")
        assert "Add this index" in page.text
        twin = Twin(cloud)
        done = browser.submit(page, "add-index")
        assert "Add this index" not in done.text and done.shown("record") == ["a"]
        twin.agrees("index-add", done.did)

    def test_deploy(self, cloud, browser):
        """Deployment says what is permanent (R1.2.6), needs unlocked production, and is exact."""
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "-d", "private")
        page = browser.page(f"{PLACE}/schema")
        assert "not deployed" in page.text and "permanent" in page.text
        assert not any("deploy" in form.buttons for form in page.forms)
        page = browser.submit(page, "unlock")
        twin = Twin(cloud)
        done = browser.submit(page, "deploy")
        assert "Production has all of this" in done.text
        twin.agrees("schema-deploy", done.did)
        assert "dashboard-" in cloud.cli("snapshot", "list")
        assert not done.shown("undeployed")

    def test_check(self, cloud, browser):
        """Files are checked against production as `schema check` does."""
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "-d", "private")
        cloud.cli("schema", "deploy")
        page = browser.page(f"{PLACE}/schema")
        page = browser.submit(page, "check", files={"files": [
            ("Thing.jsonl", b'{"n":1,"new":2}\n'), ("s.ckdb", b"DEFINE SCHEMA\n RECORD TYPE Other ("),
        ]})
        assert len(page.shown("fault")) == 2
        assert "Thing.jsonl:1:14" in page.text and "s.ckdb:2" in page.text
        page = browser.submit(
            browser.page(f"{PLACE}/schema"), "check", files={"files": ("Thing.jsonl", b'{"n":1}\n')})
        assert "Production has everything." in page.text

    def test_text(self, cloud, browser):
        import html
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "-d", "private")
        text = browser.get(f"{PLACE}/schema/text").text
        text = html.unescape(text[text.index(' spellcheck="false">') + 21:text.index("</textarea>")])
        assert text == cloud.cli("schema", "export")


class TestStore:
    def test_sample_and_container(self, cloud, browser):
        twin = Twin(cloud)
        done = browser.submit(browser.page("/"), "sample")
        assert LIBRARY in done.answer.url
        twin.agrees("sample", done.did)
        twin = Twin(cloud)
        done = browser.submit(browser.page("/"), "create", {"container": "iCloud.org.example.new"})
        twin.agrees("container-create", done.did)
        again = browser.submit(
            browser.page("/"), "create", {"container": "iCloud.org.example.new"}, status=400)
        assert "exists" in again.text
        browser.submit(browser.page("/"), "create", {"container": "new"}, status=400)


class TestProtection:
    """S03 and cli.md §16: forms are this session's, production is locked, and --read-only holds."""

    def form(self, cloud, browser):
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "-d", "private")
        return browser.page(f"{PLACE}/edit/a")

    @pytest.mark.parametrize("token", ["", "0" * 32, None])
    def test_token(self, cloud, browser, token):
        page = self.form(cloud, browser)
        before = cloud.cli("export", "-d", "private")
        refused = browser.submit(page, "edit", {"token": token, "f.n": "2"}, status=403)
        assert "not one of this session" in refused.text
        assert cloud.cli("export", "-d", "private") == before

    def test_other_origin(self, cloud, browser):
        page = self.form(cloud, browser)
        browser.submit(page, "edit", {"f.n": "2"}, status=403, headers={"Origin": "https://evil.example"})

    def test_every_form_has_a_token(self, cloud, browser):
        self.form(cloud, browser)
        for path in ["/", f"{PLACE}/records", f"{PLACE}/records/Thing", f"{PLACE}/record/a",
                     f"{PLACE}/edit/a", f"{PLACE}/new", f"{PLACE}/import", f"{PLACE}/schema"]:
            for form in browser.page(path).forms:
                if form.method == "post":
                    assert any(name == "token" and value for name, value in form.fields), path

    def test_production(self, cloud, browser):
        """Production is read-only until it is unlocked, and again when it is locked."""
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "-d", "private")
        cloud.cli("schema", "deploy")
        cloud.cli("record", "save", "Thing", "--name", "p", "n:=1", "-d", "private", "-e", "production")
        place = f"/{CONTAINER}/production/private"
        page = browser.page(f"{place}/record/p")
        assert "edit" not in page.links
        edit = browser.page(f"{place}/edit/p")
        browser.submit(edit, "edit", {"f.n": "2"}, status=400)
        page = browser.submit(page, "lock")
        assert page.links["edit"]
        twin = Twin(cloud)
        done = browser.submit(browser.page(f"{place}/edit/p"), "edit", {"f.n": "2"})
        twin.agrees("record-save", done.did)
        page = browser.submit(done, "lock")
        assert "edit" not in page.links

    def test_read_only(self, make_cloud):
        cloud = make_cloud("--log", "none", "--read-only")
        cloud.cli("record", "save", "Thing", "--name", "a", "n:=1", "-d", "private")
        browser = Browser(cloud)
        before = cloud.cli("export", "-d", "private")
        for path in ["/", f"{PLACE}/records/Thing", f"{PLACE}/record/a"]:
            page = browser.page(path)
            assert not {"new", "edit", "delete"} & set(page.links)
        page = browser.page(f"{PLACE}/edit/a")
        browser.submit(page, "edit", {"f.n": "2"}, status=400)
        token = dict(page.form("edit").fields)["token"]
        for action in browser.page("/keys").shown("action-name"):
            for path in (f"{PLACE}/do/{action}", f"/do/{action}"):
                answer = browser.session.post(
                    cloud.url + path, data={
                        "token": token, "record": "_defaultZone/a", "confirmed": "1", "type": "Thing",
                        "key": "n", "indexes": "SORTABLE", "container": "iCloud.x", "number": "1"},
                    headers={"Origin": cloud.url})
                assert action == "fixture" or answer.status_code in (400, 404), action
        assert cloud.cli("export", "-d", "private") == before

    def test_returns_only_here(self, cloud, browser):
        """A form cannot send the browser to another site."""
        self.form(cloud, browser)
        table = browser.page(f"{PLACE}/records/Thing")
        for address in ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1"]:
            form = table.form("delete")
            form.set("record", ["_defaultZone/a"])
            form.set("back", [address])
            assert address not in browser.submit(table, "delete").text


def test_every_action_is_tried(browser):
    """A test compares each action that changes the store with its line."""
    page = browser.page("/keys")
    names, verbs = page.shown("action-name"), page.shown("action-verb")
    assert len(names) == len(verbs) >= 40
    tests = "".join(file.read_text() for file in pathlib.Path(__file__).parent.glob("test_*.py"))
    tried = set(re.findall(r'agrees\(\s*"([\w-]+)"', tests))
    tried |= set(re.findall(r'\bstep\([^"]*"([\w-]+)"', tests))
    # The rows of a parametrized test: an action and its button.
    tried |= set(re.findall(r'\(\s*"([\w-]+)", "[\w-]+", \{', tests))
    changing = {name for name, verb in zip(names, verbs) if verb}
    assert changing - tried == {"schema-check"}


def test_forms_without_a_session(cloud):
    """Without a session nothing of a form is read, and nothing is written to the disk."""
    import requests
    answer = requests.post(
        f"{cloud.url}{PLACE}/do/import", files=[("f", ("a", b"x" * 5_000_000))],
        headers={"Origin": cloud.url})
    assert answer.status_code == 401


def test_many_files(cloud, browser):
    before = cloud.descriptors
    token = dict(browser.page("/").form("sample").fields)["token"]
    answer = browser.session.post(
        f"{cloud.url}{PLACE}/do/schema-check", data={"token": token},
        files=[("files", (f"{place}.jsonl", b"x")) for place in range(200)],
        headers={"Origin": cloud.url})
    assert answer.status_code == 413 and cloud.descriptors < before + 20


@pytest.mark.parametrize("body, kind", [
    (b"", "multipart/form-data; boundary=x"), (b"--x\r\n", "multipart/form-data; boundary=x"),
    (b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb", "multipart/form-data; boundary=x"),
    (b"--x\r\nno header\r\n\r\nb\r\n--x--", "multipart/form-data; boundary=x"),
    (b"--x\r\n" + b"a" * 10000, "multipart/form-data; boundary=x"),
    (b"--xy\r\n\r\n--x--", "multipart/form-data; boundary=x"),
    (b"--x--", "multipart/form-data"), (b"\0" * 100, "multipart/form-data; boundary=" + "y" * 71)])
def test_malformed_forms(cloud, browser, body, kind):
    """A form that is not one is refused, and nothing stays on the disk."""
    answer = browser.session.post(
        f"{cloud.url}{PLACE}/do/record-save", data=body,
        headers={"Origin": cloud.url, "Content-Type": kind})
    assert answer.status_code in (400, 403, 413)
    assert not [name for name in os.listdir(cloud.store) if name.startswith("form-")]
