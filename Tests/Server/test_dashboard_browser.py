"""The dashboard in a real browser: the ways through it with their clicks and keys, without
JavaScript, by keyboard alone, accessible, on three sizes, and safe from what records contain."""

import contextlib
import json
import os
import shlex
import socket
import threading
import time
import urllib.parse

import pytest
from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import window as windows
from conftest import CONTAINER

PLACE = f"/{CONTAINER}/development/private"
LIBRARY = "/iCloud.com.example.library/development/private"


@pytest.fixture(scope="module")
def driver():
    driver = windows.start()
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def plain_driver():
    driver = windows.start(scripts=False)
    yield driver
    driver.quit()


@pytest.fixture
def window(driver, cloud):
    window = windows.Window(driver, cloud)
    yield window
    assert window.errors() == []


@pytest.fixture
def library(window):
    """A window on the sample data."""
    window.click("sample")
    window.count = 0
    return window


class TestPaths:
    """The usual ways, with the number of clicks and keys."""

    def test_make_a_record(self, library):
        library.get(f"{LIBRARY}/records/Book")
        library.count = 0
        library.click("new")
        library.click(library.field("f.title"), leaves=False)
        library.type("Through the Looking-Glass")
        library.click("save")
        assert library.count <= 4
        assert "Created Book" in library.find("done").text
        assert "Through the Looking-Glass" in "".join(library.texts("field"))

    def test_find_by_a_predicate(self, library):
        library.get(f"{LIBRARY}/records/Book")
        library.count = 0
        library.press("/")
        library.type("year > 1860 AND title BEGINSWITH 'Alice'")
        library.press(Keys.ENTER, leaves=True)
        assert library.count <= 2
        assert library.texts("record") == ["alice"]

    def test_mend_a_refused_query(self, library, cloud):
        cloud.cli("schema", "index", "Book", "year", "--none", "-C", "iCloud.com.example.library")
        library.get(f"{LIBRARY}/records/Book")
        library.press("/")
        library.type("year == 1865")
        library.count = 0
        library.press(Keys.ENTER, leaves=True)
        assert "year" in library.driver.find_element(By.CSS_SELECTOR, ".finding mark").text
        library.click("add-index")
        assert library.count <= 3
        assert not library.all("fault") and library.texts("record") == ["alice"]

    def test_follow_a_reference_and_return(self, library):
        library.get(f"{LIBRARY}/record/alice")
        library.count = 0
        library.click(library.driver.find_element(By.LINK_TEXT, "carroll"))
        assert library.driver.current_url.split("?")[0].endswith("/record/carroll")
        library.back()
        assert library.count <= 2
        assert library.driver.current_url.split("?")[0].endswith("/record/alice")

    def test_references_both_ways(self, library):
        """A record names those that it refers to, and those that refer to it."""
        library.get(f"{LIBRARY}/record/carroll")
        assert sorted(library.texts("source")) == ["alice", "snark"]
        library.click("referrers")
        assert sorted(library.texts("record")) == ["alice", "snark"]
        library.get(f"{LIBRARY}/record/summer")
        assert sorted(library.texts("source")) == ["summer-1", "summer-2"]

    def test_undo_a_bulk_deletion(self, library):
        library.get(f"{LIBRARY}/records/Author")
        library.click("all", leaves=False)
        library.click("delete")
        assert len(library.find("cascade").text.split()) == 4
        library.click("confirm")
        assert "Deleted 7 records" in library.find("done").text and not library.texts("record")
        library.count = 0
        library.press("u", leaves=True)
        assert library.count <= 2
        assert sorted(library.texts("record")) == ["carroll", "shelley", "verne"]


class Ways:
    """Whole ways through the dashboard, with and without JavaScript."""

    def open(self, driver, cloud):
        return windows.Window(driver, cloud)

    def test_types_index_deploy(self, any_driver, cloud):
        """Types are made by saving, seen, get an index and are deployed."""
        window = self.open(any_driver, cloud)
        window.click(window.driver.find_element(By.LINK_TEXT, CONTAINER))
        window.click("new")
        window.field("type").send_keys("Note")
        window.field("new.0").send_keys("text")
        window.field("newvalue.0").send_keys("Hello")
        window.click("save")
        assert "Added the record type Note" in window.find("done").text
        window.click(window.driver.find_element(By.LINK_TEXT, "Schema"))
        assert "Note" in window.texts("schema-type")[0] and "STRING" in window.texts("schema-type")[0]
        cloud.cli("schema", "index", "Note", "text", "--none")
        window.get(f"{PLACE}/records/Note?where=text%20%3D%3D%20'Hello'")
        window.click("add-index")
        assert len(window.all("record")) == 1
        window.click("undeployed")
        window.click("unlock")
        window.click("deploy")
        assert "Deployed" in window.find("done").text and not window.all("undeployed")
        assert "QUERYABLE" in cloud.cli("schema", "export", "-e", "production")

    def test_conflict(self, any_driver, cloud):
        cloud.cli("record", "save", "Note", "--name", "a", "mine=1", "theirs=1", "-d", "private")
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/record/a")
        window.click("edit")
        cloud.cli(
            "record", "save", "Note", "--name", "a", "--policy", "changed", "theirs=2",
            "-d", "private")
        window.field("f.mine").clear()
        window.field("f.mine").send_keys("3")
        window.click("save")
        assert "serverRecordChanged" in window.find("conflict").text
        assert window.field("f.theirs").get_attribute("value") == "2"
        window.click("save")
        record = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        assert record["fields"] == {"mine": "3", "theirs": "2"}

    def test_import_and_undo(self, any_driver, cloud, tmp_path):
        file = tmp_path / "Note.jsonl"
        file.write_text('{"recordName":"a","fields":{"n":1}}\n{"recordName":"b","fields":{"n":2}}\n')
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/import")
        window.field("type").send_keys("Note")
        window.field("file").send_keys(str(file))
        window.click("try")
        assert window.find("dry-run").text == "2 created, 0 changed, 0 unchanged (dry run)"
        window.click("confirm")
        assert "2 created" in window.find("done").text
        window.click("undo")
        assert "Put back 2 records" in window.find("done").text
        assert cloud.cli("query", "Note", "-d", "private", "-f", "names") == ""

    def test_bulk_edit(self, any_driver, cloud):
        for name in "abc":
            cloud.cli("record", "save", "Note", "--name", name, "n:=1", "-d", "private")
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/records/Note")
        for box in window.driver.find_elements(By.CSS_SELECTOR, "tbody .pick input")[:2]:
            window.click(box, leaves=False)
        window.click("edit")
        window.click(window.field("set.n"), leaves=False)
        window.field("f.n").send_keys("7")
        window.click("save")
        assert "Set n of 2 records" in window.find("done").text
        window.click("undo")
        values = cloud.cli("query", "Note", "n == 1", "-d", "private", "-f", "names").split()
        assert values == ["a", "b", "c"]

    def test_acting(self, any_driver, cloud):
        """One choice, and the page acts as another account."""
        cloud.cli("record", "save", "Note", "--name", "mine", "n:=1", "-d", "private")
        cloud.cli("account", "create", "ann")
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/records/Note")
        assert window.texts("record") == ["mine"]

        def choose():
            window.find("as").find_element(By.CSS_SELECTOR, "option[value=ann]").click()
            for button in window.driver.find_elements(By.CSS_SELECTOR, "form.place button"):
                if button.is_displayed():
                    button.click()

        window.leave(choose)
        assert "as=ann" in window.driver.current_url and not window.texts("record")


    def test_sharing(self, any_driver, cloud):
        """Two people on one screen: one shares and invites, the other accepts, and both see it."""
        share_list(cloud)
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/record/shop?zone=Lists")
        window.field("who").send_keys("ann")
        window.click("share-create")
        assert set(window.texts("cell-me")) == {"read and write\nthe zone is the account's own"}
        assert all(text.startswith("hidden") for text in window.texts("cell-ann"))
        window.click("share-accept-ann")
        assert "ann has accepted" in window.find("done").text
        assert len(window.texts("cell-ann")) == 2
        assert all(text.startswith("read\n") for text in window.texts("cell-ann"))
        window.click(window.driver.find_element(By.LINK_TEXT, "People"))
        window.click("share")
        window.click("stop")
        assert "Stopped the share" in window.find("done").text

    def test_keys_in_conflict(self, any_driver, cloud):
        key_conflict(cloud)
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/kvs")
        assert "pad: 7" in window.find("conflict").text and "iCloud: 13" in window.find("conflict").text
        window.click("keep-theirs-level")
        window.click("sync-all")
        assert not window.all("conflict")
        for device in ("icloud", "pad", "phone"):
            assert window.find(f"{device}-level").text == "13 integer"

    def test_documents_in_conflict(self, any_driver, cloud):
        document_conflict(cloud)
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/documents")
        current, other = window.texts("version")
        assert "from phone" in current and "from pad" in other
        window.click("keep-1")
        window.click("sync-all")
        assert not window.all("version")
        assert cloud.cli("document", "get", "Documents/a.txt", "--device", "phone") == "from pad"

    def test_fault(self, any_driver, cloud):
        """A fault makes a query fail, and is taken away."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/faults")
        window.click("fault-add")
        window.get(f"{PLACE}/records/Note")
        assert "networkFailure" in window.find("fault").text and not window.texts("record")
        window.click("to-fault")
        assert "1 request" in window.find("struck-1").text
        window.click("fault-remove-1")
        window.get(f"{PLACE}/records/Note")
        assert window.texts("record") == ["a"]

    def test_snapshots(self, any_driver, cloud):
        """Two snapshots are compared record by record, and the first one is restored."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        window = self.open(any_driver, cloud)
        window.get(f"{PLACE}/snapshots")

        def new_name():
            return window.driver.find_element(By.CSS_SELECTOR, "[name=name]:not([type=hidden])")

        new_name().send_keys("before")
        window.click("snapshot-save")
        cloud.cli("record", "save", "Note", "--name", "a", "--policy", "changed", "n:=2", "-d", "private")
        new_name().send_keys("after")
        window.click("snapshot-save")
        window.driver.find_element(By.CSS_SELECTOR, "[name=from] option[value=before]").click()
        window.driver.find_element(By.CSS_SELECTOR, "[name=to] option[value=after]").click()
        window.click("compare")
        assert window.find("compared").text == "1 changed"
        assert window.texts("difference") == ["changed a\nprivate, _defaultZone Note n 1 2"]
        window.back()
        window.click("restore-before")
        record = json.loads(cloud.cli("record", "fetch", "a", "-d", "private", "-f", "jsonl"))
        assert record["fields"]["n"] == 1


class Proxy:
    """Passes connections on to the server, until they are cut."""

    def __init__(self, cloud):
        self.target = ("127.0.0.1", cloud.ready["port"])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.open, self.is_cut = [], False

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.cut()
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                client.close()
                continue
            server = socket.create_connection(self.target)
            self.open += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(source, target), daemon=True).start()

    @staticmethod
    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def cut(self):
        self.is_cut = True
        for one in self.open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self.open = []

    def mend(self):
        self.is_cut = False


def share_list(cloud):
    cloud.cli("zone", "create", "Lists", "-d", "private")
    cloud.cli("record", "save", "List", "--name", "shop", "n:=1", "-z", "Lists", "-d", "private")
    cloud.cli("record", "save", "Item", "--name", "milk", "--parent", "shop", "n:=1", "-z", "Lists",
              "-d", "private")
    cloud.cli("account", "create", "ann")


def devices(cloud):
    for device in ("pad", "phone"):
        cloud.cli("device", "add", device, "--account", "me")


def key_conflict(cloud, *at):
    """The pad and the phone write the same key; only the phone has sent it."""
    devices(cloud)
    cloud.cli("kvs", "set", "level:=1", "--device", "pad", *at)
    cloud.cli("kvs", "sync", "--all-devices", "-u", "me", *at)
    cloud.cli("kvs", "set", "level:=13", "--device", "phone", *at)
    cloud.cli("kvs", "sync", "--device", "phone", *at)
    cloud.cli("kvs", "set", "level:=7", "--device", "pad", *at)


def document_conflict(cloud, *at):
    """The pad and the phone save the same document without having seen the other's version."""
    if not cloud.cli("device", "list", "-f", "names"):
        devices(cloud)
    cloud.cli("document", "put", "-", "Documents/a.txt", "--device", "pad", *at, text="first")
    for _ in range(2):
        cloud.cli("document", "sync", "--all-devices", "-u", "me", *at)
    for device in ("pad", "phone"):
        cloud.cli("document", "put", "-", "Documents/a.txt", "--device", device, *at,
                  text=f"from {device}")
    for device in ("pad", "phone", "pad"):
        cloud.cli("document", "sync", "--device", device, *at)


class TestWithScripts(Ways):
    @pytest.fixture
    def any_driver(self, driver):
        return driver

    def test_other_side_changes(self, driver, cloud):
        """The page of a share says when the other person has done something."""
        share_list(cloud)
        cloud.cli("share", "create", "shop", "-z", "Lists", "-d", "private", "--with", "ann")
        url = cloud.cli("share", "url", "shop", "-z", "Lists", "-d", "private").strip()
        window = self.open(driver, cloud)
        window.get(f"{PLACE}/people")
        window.click("share")
        cloud.cli("share", "accept", url, "-u", "ann")
        window.wait(lambda: window.find("changed").is_displayed())
        window.press("r", leaves=True)
        assert all(text.startswith("read\n") for text in window.texts("cell-ann"))
        assert window.errors() == []

    def test_push_while_looking(self, driver, cloud):
        """A push arrives on the page, with the change that caused it."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        cloud.cli("subscription", "create", "query", "Note", "--on", "create", "--id", "notes",
                  "--alert", "A new note", "-d", "private")
        window = self.open(driver, cloud)
        window.get(f"{PLACE}/live?device=pad")
        window.wait(lambda: window.find("live-state").text == "live")
        before = len(window.find("live").find_elements(By.TAG_NAME, "tr"))
        cloud.cli("record", "save", "Note", "--name", "b", "n:=1", "-d", "private")
        window.wait(lambda: window.texts("live-push") == ["notes b created"])
        assert window.texts("live-change")[0] == "Note b"
        assert len(window.find("live").find_elements(By.TAG_NAME, "tr")) == before + 2
        window.press("p")
        cloud.cli("record", "save", "Note", "--name", "c", "n:=1", "-d", "private")
        window.wait(lambda: window.find("live-state").text == "paused, with new events")
        time.sleep(1)
        assert len(window.texts("live-change")) == 2
        window.press("p")
        window.wait(lambda: window.texts("live-change")[0] == "Note c")
        assert window.errors() == []

    def test_lost_connection(self, driver, cloud):
        """A view whose connection breaks connects again, and shows what it missed, once."""
        window = self.open(driver, cloud)
        with Proxy(cloud) as proxy:
            driver.get(f"{proxy.url}{PLACE}/live")
            window.wait(lambda: window.find("live-state").text == "live")
            cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
            window.wait(lambda: window.texts("live-change") == ["Note a"])
            proxy.cut()
            window.wait(lambda: window.find("live-state").text == "connecting")
            cloud.cli("record", "save", "Note", "--name", "b", "n:=1", "-d", "private")
            time.sleep(1.5)
            assert window.texts("live-change") == ["Note a"]
            proxy.mend()
            window.wait(lambda: window.texts("live-change") == ["Note b", "Note a"])
            assert window.find("live-state").text == "live"
        window.errors()


class TestWithoutScripts(Ways):
    @pytest.fixture
    def any_driver(self, plain_driver):
        return plain_driver

    def test_no_dead_controls(self, plain_driver, cloud):
        """Without JavaScript nothing is shown that needs it, and everything else is."""
        window = self.open(plain_driver, cloud)
        window.click("sample")
        window.get(f"{LIBRARY}/records/Book")
        for page in ("live", "records/Book"):
            window.get(f"{LIBRARY}/{page}")
            for element in window.driver.find_elements(By.CSS_SELECTOR, ".with-script-only"):
                assert not element.is_displayed()
        assert window.driver.find_element(By.CSS_SELECTOR, "form.place .without-script").is_displayed()


class TestKeyboard:
    """Every action by keyboard alone."""

    def tab_to(self, window, matches):
        for _ in range(200):
            if matches(window.focused):
                return window.focused
            window.press(Keys.TAB)
        raise AssertionError("not reached by Tab")

    def test_new_edit_delete_undo(self, library):
        library.get(f"{LIBRARY}/records/Note")
        library.press("c", leaves=True)
        self.tab_to(library, lambda element: element.get_attribute("name") == "name")
        library.type("mine")
        self.tab_to(library, lambda element: element.get_attribute("name") == "f.text")
        library.type("by keyboard")
        self.tab_to(library, lambda element: element.get_attribute("data-testid") == "save")
        library.press(Keys.ENTER, leaves=True)
        assert "Created Note mine" in library.find("done").text
        library.press("e", leaves=True)
        self.tab_to(library, lambda element: element.get_attribute("name") == "f.text")
        library.type(" again")
        library.press(Keys.ESCAPE)
        self.tab_to(library, lambda element: element.get_attribute("data-testid") == "save")
        library.press(Keys.ENTER, leaves=True)
        library.press("g", "r", leaves=True)
        self.tab_to(library, lambda element: element.text.split()[:1] == ["Note"])
        library.press(Keys.ENTER, leaves=True)
        library.press("j", "x")
        self.tab_to(library, lambda element: element.get_attribute("data-testid") == "delete")
        library.press(Keys.ENTER, leaves=True)
        library.press(Keys.ENTER, leaves=True)
        assert "Deleted 1 record" in library.find("done").text
        library.press("u", leaves=True)
        assert "Put back 1 record" in library.find("done").text

    def test_focus_is_seen(self, library):
        """Whatever Tab reaches has an outline, and is in the order in which the page is read."""
        for page in ("records/Book", "edit/alice", "schema", "people", "kvs", "faults", "live"):
            path = f"{LIBRARY}/{page}"
            library.get(path)
            places = []
            for _ in range(60):
                library.press(Keys.TAB)
                element = library.focused
                if element.tag_name == "body":
                    break
                outline = element.value_of_css_property("outline-style")
                shadow = element.find_element(By.XPATH, "..").value_of_css_property("box-shadow")
                assert outline != "none" or shadow != "none", element.get_attribute("outerHTML")
                places.append(library.driver.execute_script(
                    "return [...document.querySelectorAll('*')].indexOf(arguments[0])", element))
            assert places == sorted(places) and len(places) > 15

    def test_keys_page(self, library):
        library.get(f"{LIBRARY}/records")
        library.press("?", leaves=True)
        assert library.driver.current_url.endswith("/keys")
        assert "undo the last action" in library.driver.page_source


def pages(cloud):
    """Every page, by its name."""
    public = LIBRARY.replace("private", "public")
    return {
        "start": "/", "keys": "/keys", "types": f"{LIBRARY}/records", "table": f"{LIBRARY}/records/Book",
        "refused": f"{LIBRARY}/records/Book?where=year%20%3E%201850%20OR%20title%20CONTAINS%20'x'",
        "syntax": f"{LIBRARY}/records/Book?where=year%20%3E",
        "nobody": f"{LIBRARY}/records/Book?as=none", "record": f"{LIBRARY}/record/alice",
        "lines": f"{LIBRARY}/record/snark", "encrypted": f"{LIBRARY}/record/note",
        "children": f"{LIBRARY}/record/summer", "map": f"{public}/record/bodleian",
        "edit": f"{LIBRARY}/edit/alice", "edit-date": f"{LIBRARY}/edit/carroll",
        "edit-map": f"{public}/edit/bodleian", "edit-encrypted": f"{LIBRARY}/edit/note",
        "new": f"{LIBRARY}/new", "new-book": f"{LIBRARY}/new/Book", "import": f"{LIBRARY}/import",
        "schema": f"{LIBRARY}/schema", "schema-text": f"{LIBRARY}/schema/text",
        "production": f"{LIBRARY.replace('development', 'production')}/records",
        "missing": f"{LIBRARY}/record/none",
        **{page: f"{LIBRARY}/{page}" for page in
           ("people", "kvs", "documents", "live", "faults", "snapshots", "usage")},
        "access": f"{LIBRARY}/access/summer?zone=Lists", "compare": f"{LIBRARY}/compare?from=before",
    }


def fill(cloud):
    """What the pages of people, devices and requests show: shares, conflicts, faults, snapshots."""
    at = ["-C", "iCloud.com.example.library"]
    summer = ["summer", "-z", "Lists", "-d", "private", *at]
    cloud.cli("account", "create", "ann", "--email", "ann@example.com")
    cloud.cli("account", "quota", "100", "-u", "ann")
    cloud.cli("share", "create", *summer, "--title", "Summer reading", "--with", "ann:write",
              "--with", "bob")
    url = cloud.cli("share", "url", *summer).strip()
    cloud.cli("share", "accept", url, "-u", "ann")
    key_conflict(cloud, *at)
    document_conflict(cloud, *at)
    cloud.cli("snapshot", "save", "before")
    cloud.cli("record", "save", "Note", "--name", "later", "text=x", "-d", "private", *at)
    cloud.cli("fault", "add", "--operation", "query", "--code", "zoneBusy", "--type", "Missing")
    cloud.token = cloud.cli("token", "create", *at).strip()
    cloud.path = lambda endpoint, *others: f"{urllib.parse.quote('/database/1')}{LIBRARY}/{endpoint}"
    cloud.web_token = lambda user: cloud.cli("token", "sign-in", user, *at).strip()
    cloud.post("records/query", {"query": {"recordType": "Book"}})
    cloud.send("records/query", {"query": {}})


def steps(window):
    """The pages that only forms lead to."""
    def select(button):
        window.get(f"{LIBRARY}/records/Book")
        window.click("all", leaves=False)
        window.click(button)

    def follow(page, test_id):
        window.get(f"{LIBRARY}/{page}")
        window.click(window.all(test_id)[-1])

    yield "share", lambda: follow("people", "share")
    yield "request", lambda: follow("usage", "explain")
    yield "repeated", lambda: window.click("again")
    yield "selection", lambda: (
        window.get(f"{LIBRARY}/records/Book"), window.click("all", leaves=False))
    yield "delete", lambda: select("delete")
    yield "bulk-edit", lambda: select("edit")
    yield "fixture", lambda: select("fixture")

    def save():
        window.get(f"{LIBRARY}/edit/alice")
        window.field("f.pages").clear()
        window.field("f.pages").send_keys("200")
        window.click("save")

    yield "done", save

    def conflict():
        window.get(f"{LIBRARY}/edit/alice")
        window.cloud.cli(
            "record", "save", "Book", "--name", "alice", "--policy", "changed", "title=Changed",
            "pages:=1", "-C", "iCloud.com.example.library", "-d", "private")
        window.field("f.title").send_keys("!")
        window.click("save")

    yield "conflict", conflict


def every_page(window):
    """Visits every page; yields its name."""
    fill(window.cloud)
    for name, path in pages(window.cloud).items():
        window.get(path)
        yield name
    for name, act in steps(window):
        act()
        yield name


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe(library, dark):
    """No page violates a rule of axe, in light and dark."""
    library.show(1280, 800, dark)
    for name in every_page(library):
        result = Axe().run(library.driver)
        found = [(rule["id"], rule["nodes"][0]["html"]) for rule in result["violations"]]
        assert found == [], (name, found)
        assert len(result["passes"]) > 10
    library.errors()


#: Colours do not change the layout: the dark pages are only for pictures.
COLOURS = [False, True] if os.environ.get("CKDB_PICTURES") else [False]


@pytest.mark.parametrize("dark", COLOURS)
@pytest.mark.parametrize("width, height", windows.SIZES)
def test_sizes(library, width, height, dark):
    """Every page fits three sizes: only tables scroll to the side."""
    library.show(width, height, dark)
    for name in every_page(library):
        wide = library.driver.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width, name
        small = library.driver.execute_script("""
            return [...document.querySelectorAll('main *, header *')].filter(element =>
              element.childElementCount === 0 && element.textContent.trim() !== '' &&
              parseFloat(getComputedStyle(element).fontSize) < 11).length""")
        assert small == 0, name
        library.picture(f"{name}-{width}{'-dark' if dark else ''}")
    library.errors()


def test_weight(library):
    """A page has at most 5 requests and 100 KB, of which 20 KB are JavaScript; none goes elsewhere."""
    for name in every_page(library):
        loaded = library.driver.execute_script("""
            const page = performance.getEntriesByType('navigation')[0];
            return [page, ...performance.getEntriesByType('resource')].map(
              entry => [entry.name, entry.decodedBodySize])""")
        assert len(loaded) <= 5, (name, loaded)
        assert sum(size for _, size in loaded) < 100_000, (name, loaded)
        assert sum(size for url, size in loaded if ".js" in url) < 20_000
        assert all(url.startswith(library.cloud.url) or url.startswith("data:") for url, _ in loaded)
    library.errors()


HOSTILE = [
    "<script>window.hacked=1</script>", "\"><img src=x onerror=window.hacked=1>",
    "' onfocus='window.hacked=1' autofocus='", "\"\u0301 onfocus=window.hacked=1 autofocus x=\"",
    "</textarea><script>window.hacked=1</script>", "</title><svg onload=window.hacked=1>",
    "javascript:window.hacked=1", "${window.hacked=1}", "{{constructor.constructor('window.hacked=1')()}}",
]


@pytest.mark.check("S15")
@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values(window, cloud, value, tmp_path):
    """S15: hostile values in every field, name and file are text, on every page that shows them."""
    file = tmp_path / "x.bin"
    file.write_text(value)
    # Names of records are ASCII.
    own = value if value.isascii() else "a"
    cloud.cli(
        "record", "save", "Note", f"--name={own}", f"text={value}", f"list:={json.dumps([value])}",
        f"odd:={json.dumps([value, ''])}", f"secret:encrypted<string>={value}",
        f"link:reference={own}", f"file:asset@{file}", "-d", "private")
    name = urllib.parse.quote(own, safe="")
    text = urllib.parse.quote(value, safe="")
    for path in [
            "records/Note", f"record/{name}", f"edit/{name}", f"records/Note?where={text}",
            f"records/{text}", f"new/{text}", f"record/none{text}"]:
        window.get(f"{PLACE}/{path}")
        assert window.driver.execute_script("return window.hacked") is None
    window.errors()
    window.get(f"{PLACE}/record/{name}")
    assert own in window.driver.find_element(By.TAG_NAME, "h1").text
    window.click("edit")
    assert window.field("f.text").get_attribute("value") == value
    window.field("f.text").send_keys("!")
    window.click("save")
    assert own in window.find("done").text
    assert f"text={value}!" in shlex.split(window.find("did").text)
    assert window.driver.execute_script("return window.hacked") is None
    # The name of an uploaded file.
    safe = value.replace("/", "∕")
    upload = tmp_path / (safe + ".jsonl")
    upload.write_text('{"recordName":"a","fields":{"n":1}}\n{"x":')
    window.get(f"{PLACE}/import")
    window.field("type").send_keys("Note")
    window.field("file").send_keys(str(upload))
    window.click("try")
    assert safe in window.driver.find_element(By.TAG_NAME, "h1").text
    assert window.driver.execute_script("return window.hacked") is None


@pytest.mark.check("S15")
@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_people(window, cloud, value):
    """S15: hostile names of people, devices, shares, keys, documents and snapshots' values are text, as
    are those in requests."""
    share_list(cloud)
    # Names of accounts have no combining marks at their beginning, invitations no colons.
    plain = value.replace("\u0301", "").replace(":", "")
    cloud.cli("account", "create", plain)
    cloud.cli("device", "add", f"--account={plain}", "--", plain)
    cloud.cli("snapshot", "save", "before")
    cloud.cli("share", "create", "shop", "-z", "Lists", "-d", "private", f"--title={value}",
              f"--with={plain}")
    cloud.cli("kvs", "set", "--type", "string", "--", f"k={value}")
    path = "Documents/" + value.replace("/", "∕")
    cloud.cli("document", "put", "--", "-", path, text=value)
    cloud.send("records/query", {"query": {"recordType": value, "x": value}})
    cloud.send("records/modify", {"operations": [{"operationType": "create", "record": {
        "recordName": value, "recordType": "Item", "fields": {"n": {"value": value}}}}]})
    for page in ["people", "access/shop?zone=Lists", "kvs", "documents", "live", "usage", "snapshots",
                 "compare?from=before", "faults"]:
        window.get(f"{PLACE}/{page}")
        assert window.driver.execute_script("return window.hacked") is None, page
        assert not window.all("fault"), page
    window.get(f"{PLACE}/kvs")
    assert json.dumps(value, ensure_ascii=False)[1:20] in window.find("kvs").text
    window.get(f"{PLACE}/documents")
    assert path.split("/")[1][:12] in window.find("documents").text
    window.get(f"{PLACE}/people")
    window.click("share")
    assert window.driver.find_element(By.TAG_NAME, "h1").text == value
    window.get(f"{PLACE}/live?show=request")
    for number in range(2):
        window.get(f"{PLACE}/live?show=request")
        window.click(window.all("live-request")[number])
        assert window.driver.execute_script("return window.hacked") is None
    window.errors()


def test_selection_and_completion(library):
    """The parts that need JavaScript: counting, completion, lists that grow, copying."""
    library.get(f"{LIBRARY}/records/Book")
    delete = library.find("delete")
    assert not delete.is_enabled()
    library.click("all", leaves=False)
    assert delete.is_enabled() and "4 records selected" in library.driver.page_source
    library.press("/")
    library.type("year > 1800 AND ti")
    words = library.driver.execute_script(
        "return [...document.querySelectorAll('#words option')].map(option => option.value)")
    assert words == ["year > 1800 AND title"]
    library.get(f"{LIBRARY}/edit/alice")
    lines = library.driver.find_elements(By.NAME, "f.subjects")
    assert len(lines) == 3
    lines[-1].send_keys("x")
    assert len(library.driver.find_elements(By.NAME, "f.subjects")) == 4
    library.field("f.author").clear()
    library.field("f.author").send_keys("she")
    library.wait(lambda: library.driver.execute_script(
        "return [...document.querySelectorAll('#record-names option')].map(option => option.value)"
    ) == ["shelley"])


def test_live(library, cloud):
    """A page says when another process has changed its records, and not when it changed others."""
    at = ["-C", "iCloud.com.example.library"]
    library.get(f"{LIBRARY}/records/Note")
    cloud.cli("record", "save", "Library", "--name", "new", "name=x", "-d", "public", *at)
    time.sleep(1.5)
    assert not library.find("changed").is_displayed()
    cloud.cli("record", "save", "Note", "--name", "new", "text=x", "-d", "private", *at)
    library.wait(lambda: library.find("changed").is_displayed())
    assert library.texts("record") == ["note"]
    library.press("r", leaves=True)
    assert sorted(library.texts("record")) == ["new", "note"]


def test_million_records(window, cloud, tmp_path):
    """A million records are imported and paged by cursor."""
    file = tmp_path / "City.csv"
    with open(file, "w") as text:
        text.write("n,name\n")
        text.writelines(f"{n},City {n}\n" for n in range(1_000_000))
    window.get(f"{PLACE}/import")
    window.field("type").send_keys("City")
    window.field("name-field").send_keys("n")
    window.field("file").send_keys(str(file))
    window.driver.set_page_load_timeout(600)
    window.click("try")
    assert window.find("dry-run").text.startswith("1,000,000 created")
    window.click("confirm")
    assert "1,000,000 created" in window.find("done").text
    window.get(f"{PLACE}/records/City?sort=name")
    seen = window.texts("record")
    for _ in range(3):
        window.press("n", leaves=True)
        seen += window.texts("record")
    expected = sorted((f"City {n}", str(n)) for n in range(1_000_000))[:200]
    assert seen == [name for _, name in expected]
    assert "1,000,000" in window.driver.find_element(By.TAG_NAME, "nav").text
