"""The dashboard's live view of changes, notifications and requests, the page of a request, injected
faults with what they struck, the clock, and usage."""

import contextlib
import html
import http.client
import json
import re
import socket
import threading
import time

import pytest
import requests

from conftest import CONTAINER, Signer
from dashboard import Browser
from twin import Twin

PLACE = f"/{CONTAINER}/development/private"


@pytest.fixture
def browser(cloud):
    return Browser(cloud)


class Feed:
    """Follows the events of a live page, as EventSource does."""

    def __init__(self, browser, path, last=None):
        headers = {"Cookie": "; ".join(f"{c.name}={c.value}" for c in browser.session.cookies)}
        if last:
            headers["Last-Event-ID"] = last
        self.connection = http.client.HTTPConnection(browser.cloud.url.split("//")[1], timeout=20)
        self.connection.request("GET", path, headers=headers)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.rows, self.omitted, self.last, self.retry = [], 0, last, None
        self.has_more = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        kind = data = ident = None
        try:
            while line := self.answer.readline().decode():
                name, _, value = line.rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    data = (data or "") + value
                elif name == "id":
                    ident = value
                elif name == "retry":
                    self.retry = value
                elif name == "" and data is not None:
                    if kind == "omitted":
                        self.omitted += int(data.rstrip("+"))
                        self.has_more |= data.endswith("+")
                    else:
                        self.rows += re.findall(r"<tr>.*?</tr>", data)
                        self.last = ident
                    kind = data = ident = None
        except (OSError, http.client.HTTPException):
            pass

    def wait(self, condition):
        end = time.monotonic() + 15
        while not condition(self) and time.monotonic() < end:
            time.sleep(0.02)
        assert condition(self), (self.rows, self.omitted)

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)


def events(page):
    """The address of a live page's events."""
    return html.unescape(re.search(r'data-events="([^"]*)"', page.text)[1])


@pytest.fixture
def make_feed(browser):
    feeds = []

    def make(last=None, **parameters):
        page = browser.page(f"{PLACE}/live", **parameters)
        feeds.append(Feed(browser, events(page), last))
        return feeds[-1]

    yield make
    for feed in feeds:
        feed.close()


class TestLive:
    def test_requests(self, cloud, make_feed):
        """Each request with its caller, its result and its time, and none of the dashboard's own."""
        feed = make_feed()
        cloud.modify(("create", "a", {"n": 1}))
        cloud.send("records/lookup", {"records": [{"recordName": "none"}]}, user="ann")
        cloud.send("records/query", {"query": {}})
        feed.wait(lambda feed: len([row for row in feed.rows if "live-request" in row]) == 3)
        found = [row for row in feed.rows if "live-request" in row]
        assert "records/modify" in found[0] and "<td>me</td>" in found[0] and " ms" in found[0]
        assert "<td>ann</td>" in found[1] and "400 BAD_REQUEST" in found[2]

    def test_changes_of_other_processes(self, cloud, make_feed):
        """Changes and deletions by any process, with who made them."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        feed = make_feed()
        cloud.cli("record", "save", "Note", "--name", "b", "n:=1", "-d", "private")
        cloud.cli("record", "save", "Note", "--name", "a", "--policy", "changed", "n:=2", "-d", "private")
        feed.wait(lambda feed: len(feed.rows) == 2)
        cloud.cli("record", "delete", "a", "-d", "private")
        feed.wait(lambda feed: len(feed.rows) == 3)
        assert [re.search(r'chip good">(\w+)<', row)[1] for row in feed.rows] == [
            "created", "updated", "deleted"]
        assert "<td>me</td>" in feed.rows[0]

    def test_other_people(self, cloud, make_feed):
        """A page shows what its account may see, and nothing of another one's private database."""
        feed = make_feed()
        cloud.cli("record", "save", "Note", "--name", "hers", "n:=1", "-d", "private", "-u", "ann")
        cloud.cli("record", "save", "Note", "--name", "mine", "n:=1", "-d", "private")
        feed.wait(lambda feed: any("mine" in row for row in feed.rows))
        assert not any("hers" in row for row in feed.rows)

    def test_push(self, cloud, make_feed):
        """The push that a change caused (R8.3)."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        cloud.cli("subscription", "create", "query", "Note", "--on", "create", "--id", "notes",
                  "--alert", "A new note", "-d", "private")
        feed = make_feed(device="pad")
        cloud.cli("record", "save", "Note", "--name", "b", "n:=1", "-d", "private")
        feed.wait(lambda feed: any("live-push" in row for row in feed.rows))
        push = next(row for row in feed.rows if "live-push" in row)
        assert "notes" in push and ">b</a>" in push and "to pad" in push

    @pytest.mark.parametrize("parameters, shown", [
        ({"show": "request"}, ["records/modify", "records/query"]), ({"show": "change"}, ["created"]),
        ({"errors": "1"}, ["records/query"]), ({"text": "modify"}, ["records/modify"]),
        ({"text": "note"}, ["created"]), ({"text": "nothing"}, [])])
    def test_filters(self, cloud, browser, make_feed, parameters, shown):
        feed = make_feed(**parameters)
        cloud.modify(("create", "a", {"n": 1}))
        cloud.send("records/query", {"query": {}})
        time.sleep(0.8)
        found = [re.search(r'(?:live-request">|chip good">)([^<]*)<', row)[1] for row in feed.rows]
        assert sorted(found) == sorted(shown)
        # The page shows the same of the past, without JavaScript.
        page = browser.page(f"{PLACE}/live", **parameters)
        past = re.findall(r'(?:live-request">|chip good">)([^<]*)<', page.text)
        assert sorted(past) == sorted(shown)

    def test_lost_connection(self, cloud, browser, make_feed):
        """A view that lost its connection continues after its last event: nothing is lost or twice."""
        feed = make_feed()
        feed.wait(lambda feed: feed.retry)
        cloud.modify(("create", "a", {"n": 1}))
        feed.wait(lambda feed: len(feed.rows) >= 2)
        before = list(feed.rows)
        feed.close()
        cloud.modify(("create", "b", {"n": 1}))
        cloud.cli("record", "save", "Note", "--name", "c", "n:=1", "-d", "private")
        page = browser.page(f"{PLACE}/live")
        again = Feed(browser, events(page), feed.last)
        again.wait(lambda feed: len(feed.rows) >= 3)
        time.sleep(0.5)
        names = re.findall(r'/record/(\w)', "".join(again.rows))
        assert names == ["b", "c"] and len(again.rows) == 3, again.rows
        assert not set(before) & set(again.rows)
        again.close()

    def test_restarted_server(self, cloud, make_feed):
        """The numbers of requests begin again with the server; changes go on."""
        feed = make_feed()
        cloud.modify(("create", "a", {"n": 1}))
        feed.wait(lambda feed: len(feed.rows) >= 2)
        feed.close()
        cloud.stop()
        cloud.cli("record", "save", "Note", "--name", "b", "n:=1", "-d", "private")
        cloud.start()
        browser = Browser(cloud)
        page = browser.page(f"{PLACE}/live")
        again = Feed(browser, events(page), feed.last)
        cloud.modify(("create", "c", {"n": 1}))
        again.wait(lambda feed: len(feed.rows) >= 3)
        assert re.findall(r'/record/(\w)', "".join(again.rows)) == ["b", "c"]
        again.close()

    @pytest.mark.parametrize("position", ["", "1", "a-b-c-d", "1-2-3", "-1--1--1--1", "9" * 400])
    def test_positions_of_others(self, browser, position):
        feed = Feed(browser, f"{PLACE}/live/events?since={position}")
        feed.close()

    def test_restored_snapshot(self, cloud, browser, make_feed):
        """After a restore the view goes on, although changes have lower numbers than before."""
        cloud.cli("snapshot", "save", "before")
        feed = make_feed()
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        feed.wait(lambda feed: len(feed.rows) == 1)
        cloud.cli("snapshot", "restore", "before")
        time.sleep(0.5)
        cloud.cli("record", "save", "Note", "--name", "b", "n:=1", "-d", "private")
        feed.wait(lambda feed: "/record/b" in "".join(feed.rows))

    def test_sheds(self, cloud, make_feed):
        """More events than a page can show are counted, failures are shown first."""
        feed = make_feed(show="request")
        session = requests.Session()
        url = f"{cloud.url}{cloud.path('records/lookup')}?{cloud.query()}"
        body = json.dumps({"records": [{"recordName": "a"}]})
        for number in range(600):
            session.post(url, data=body if number % 100 else "{}")
        feed.wait(lambda feed: len(feed.rows) + feed.omitted == 600)
        assert feed.omitted > 0
        assert len([row for row in feed.rows if "BAD_REQUEST" in row]) == 6

    def test_import(self, cloud, make_feed, tmp_path):
        """An import of many records shows the last ones, and counts the others."""
        file = tmp_path / "Note.csv"
        file.write_text("n\n" + "\n".join(str(n) for n in range(20_000)))
        feed = make_feed(show="change")
        cloud.cli("import", "Note", str(file), "-d", "private")
        feed.wait(lambda feed: len(feed.rows) + feed.omitted >= 10_000)
        assert len(feed.rows) <= 50 and feed.has_more

    def test_rare_type(self, cloud, make_feed):
        """A filter finds a rare change among many others."""
        feed = make_feed(show="change", text="rare")
        cloud.modify(*[("create", f"n{n}", {"n": n}) for n in range(30)])
        cloud.cli("record", "save", "Rare", "--name", "one", "n:=1", "-d", "private")
        cloud.modify(*[("create", f"m{n}", {"n": n}) for n in range(30)])
        feed.wait(lambda feed: "/record/one" in "".join(feed.rows))
        assert len(feed.rows) == 1 and feed.omitted == 0

    def test_activity_of_others(self, cloud, make_feed):
        """What another account does in its own database does not even count."""
        feed = make_feed(show="change")
        for _ in range(3):
            cloud.modify(*[("create", f"n{time.time_ns()}-{n}", {"n": n}) for n in range(150)], user="ann")
        cloud.cli("record", "save", "Note", "--name", "mine", "n:=1", "-d", "private")
        feed.wait(lambda feed: feed.rows)
        assert len(feed.rows) == 1 and feed.omitted == 0 and not feed.has_more

    def test_offline_device(self, cloud, make_feed):
        """A device that was offline gets its notifications when it connects, and the view shows them,
        once."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        cloud.cli("subscription", "create", "query", "Note", "--on", "create", "--id", "notes",
                  "--alert", "A new note", "-d", "private")
        cloud.cli("device", "add", "pad", "--account", "me")
        cloud.cli("device", "offline", "pad")
        feed = make_feed(device="pad", show="push")
        cloud.cli("record", "save", "Note", "--name", "b", "n:=1", "-d", "private")
        time.sleep(0.7)
        assert not feed.rows
        cloud.cli("device", "online", "pad")
        cloud.cli("record", "save", "Note", "--name", "c", "n:=1", "-d", "private")
        feed.wait(lambda feed: len(feed.rows) >= 2)
        time.sleep(0.5)
        assert re.findall(r"/record/(\w)", "".join(feed.rows)) == ["b", "c"]

    def test_base_path(self, make_cloud):
        """Below a base path, the view and the usage have the same requests."""
        cloud = make_cloud("--base-path", "/ck", "--log", "none", "--open")
        browser = Browser(cloud, opens=False)
        code = re.search(r'name="code" value="([^"]*)"', requests.get(cloud.ready["openURL"]).text)[1]
        origin = "/".join(cloud.url.split("/")[:3])
        browser.session.post(
            f"{origin}/ck/open", data={"code": code}, headers={"Origin": origin})
        cloud.url = f"{origin}/ck"
        cloud.send("records/lookup", {"records": [{"recordName": "a"}]})
        page = browser.page(f"{PLACE}/live", show="request")
        assert 'data-testid="live-request">records/lookup<' in page.text
        assert "me" in browser.page(f"{PLACE}/usage").text.split('data-testid="callers"')[1]

    def test_closed(self, cloud):
        """Without a session there are no events."""
        for path in (f"{PLACE}/live/events", f"{PLACE}/commits", f"{PLACE}/live"):
            answer = requests.get(cloud.url + path)
            assert answer.status_code in (401, 404), path


class TestRequests:
    def last(self, browser, endpoint):
        """The page of the last request of an endpoint."""
        page = browser.page(f"{PLACE}/live", show="request")
        for link, text in re.findall(r'<a href="([^"]*)" class="mono" data-testid="live-request">([^<]*)<', page.text):
            if text == endpoint:
                            return browser.page(html.unescape(link))
        raise AssertionError(page.text)

    def test_query(self, cloud, browser):
        """A query with its caller, rule, plan, answer, time, and the same in three ways."""
        cloud.modify(("create", "a", {"n": 1}), ("create", "b", {"n": 2}))
        cloud.post("records/query", {"query": {
            "recordType": "Note", "filterBy": [{
                "fieldName": "n", "comparator": "GREATER_THAN",
                "fieldValue": {"value": 1, "type": "INT64"}}],
            "sortBy": [{"fieldName": "n", "ascending": False}]}})
        page = self.last(browser, "records/query")
        assert page.shown("rule") == ["a private database is open to its user alone"]
        assert page.shown("plan")[0] and '"recordName":"b"' in page.shown("answer")[0]
        assert page.shown("as-ckdb")[0].startswith("ckdb query Note 'n > 1'")
        assert page.shown("as-curl")[0].startswith("curl ")
        swift = page.shown("as-Swift")[0]
        assert swift == (
            f'let database = CKContainer(identifier: "{CONTAINER}").privateCloudDatabase\n'
            'let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n > 1"))\n'
            'query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: false)]\n'
            'let (results, cursor) = try await database.records(matching: query, '
            'inZoneWith: CKRecordZone.default().zoneID, resultsLimit: 200)')

    def test_run_again(self, cloud, browser):
        """The same request as the same caller; a change is made again, with its result."""
        cloud.modify(("create", "a", {"n": 1}))
        page = browser.submit(self.last(browser, "records/modify"), "again")
        assert '"serverErrorCode":"CONFLICT"' in page.text.replace("&quot;", '"')
        cloud.post("records/lookup", {"records": [{"recordName": "a"}]})
        cloud.cli("record", "save", "Note", "--name", "a", "--policy", "changed", "n:=7", "-d", "private")
        page = browser.submit(self.last(browser, "records/lookup"), "again")
        assert '"value":7' in page.shown("new-answer")[0]

    def test_production_stays_locked(self, cloud, browser):
        cloud.cli("record", "save", "Note", "--name", "x", "n:=1", "-d", "private")
        cloud.cli("schema", "deploy")
        cloud.token = cloud.cli("token", "create", "-e", "production").strip()
        cloud.web_token = lambda user: cloud.cli("token", "sign-in", user, "-e", "production").strip()
        operation = {"operationType": "forceReplace", "record": {
            "recordName": "a", "recordType": "Note", "fields": {"n": {"value": 1}}}}
        answer = cloud.send("records/modify", {"operations": [operation]}, environment="production")
        assert answer.status_code == 200, answer.text
        production = PLACE.replace("development", "production")
        page = browser.page(f"{production}/live", show="request")
        link = re.search(r'<a href="([^"]*)" class="mono" data-testid="live-request">', page.text)[1]
        page = browser.page(link)
        assert not any("again" in form.buttons for form in page.forms)
        number = link.rsplit("/", 1)[1]
        token = dict(page.form("lock").fields)["token"]
        answer = browser.session.post(
            f"{cloud.url}{PLACE}/do/request-again", data={"token": token, "number": number},
            headers={"Origin": cloud.url})
        assert answer.status_code == 400 and "read-only until" in answer.text

    @pytest.mark.parametrize("number", [
        "0", "-1", "999999", "x", "9" * 30, "-9223372036854775808", "9223372036854775807"])
    def test_unknown(self, browser, number):
        assert browser.get(f"{PLACE}/request/{number}").status_code == 404

    def test_read_only(self, make_cloud):
        cloud = make_cloud("--read-only", "--log", "none", "--open")
        cloud.post("records/lookup", {"records": [{"recordName": "a"}]})
        cloud.send("records/modify", {"operations": []})
        browser = Browser(cloud)
        page = self.last(browser, "records/modify")
        assert not any("again" in form.buttons for form in page.forms)
        page = browser.submit(self.last(browser, "records/lookup"), "again")
        assert "200" in page.shown("repeated")[0]


    def test_refused_callers_stay_refused(self, cloud, browser, tmp_path):
        """Running a request again checks the caller as the server did (W2.2)."""
        signer = Signer(cloud, tmp_path)
        body = {"operations": [{"operationType": "create", "record": {
            "recordName": "intruder", "recordType": "Note", "fields": {}}}]}
        answer = signer.send("records/modify", body, database="private")
        assert answer.json()["serverErrorCode"] == "ACCESS_DENIED"
        page = browser.submit(self.last(browser, "records/modify"), "again")
        assert "ACCESS_DENIED" in page.shown("new-answer")[0]
        assert cloud.cli("export", "-d", "private") == ""


class TestFaults:
    def test_used_up(self, cloud, browser):
        """What a fault struck stays to be seen after its last time."""
        cloud.cli("fault", "add", "--operation", "fetch", "--code", "zoneBusy", "--times", "1")
        cloud.send("records/lookup", {"records": [{"recordName": "a"}]})
        page = browser.page(f"{PLACE}/faults")
        assert "No faults are switched on" in page.text
        assert "struck" in page.shown("struck-past")[0] and "1 request" in page.shown("struck-past")[0]

    def test_fault_and_its_removal(self, cloud, browser):
        """A fault makes a query fail, on the page and for clients, with what it struck; then it is
        taken away."""
        cloud.modify(("create", "a", {"n": 1}))
        twin = Twin(cloud, whole=True)
        page = browser.submit(
            browser.page(f"{PLACE}/faults"), "fault-add",
            {"operation": "query", "code": "requestRateLimited", "retryAfter": "2", "type": "Note"})
        twin.agrees("fault-add", page.did)
        refused = browser.page(f"{PLACE}/records/Note")
        assert "requestRateLimited" in refused.shown("fault")[0]
        answer = cloud.send("records/query", {"query": {"recordType": "Note"}}, user="ann")
        assert answer.json()["serverErrorCode"] == "THROTTLED"
        page = browser.page(refused.links["to-fault"][0])
        assert "2 requests" in page.shown("struck-1")[0] and "records/query" in page.text
        assert "by ann" in page.text
        twin = Twin(cloud, whole=True)
        page = browser.submit(page, "fault-remove-1")
        twin.agrees("fault-clear", page.did)
        assert browser.page(f"{PLACE}/records/Note").shown("record") == ["a"]

    @pytest.mark.parametrize("operation", ["any", "zone", "fetch", "changes", "share"])
    def test_pages_spare_faults(self, cloud, browser, operation):
        """What pages show besides does not use up the faults of an app's test."""
        cloud.modify(("create", "a", {"n": 1}))
        cloud.cli("fault", "add", "--operation", operation, "--code", "networkFailure", "--times", "1")
        for page in ("live", "people", "faults", "usage", "schema", "snapshots", "access/a", "kvs"):
            assert browser.get(f"{PLACE}/{page}").status_code == 200, page
        fault = json.loads(cloud.cli("fault", "list", "-f", "jsonl"))
        assert fault["times"] == 1

    @pytest.mark.parametrize("values", [
        {"operation": "save", "code": "zoneBusy", "times": "2", "probability": "0.5"},
        {"operation": "save", "code": "serverResponseLost", "after": "on"},
        {"operation": "any", "code": "", "latency": "0.01", "zone": "Lists"},
        {"operation": "push", "effect": "lost"}, {"operation": "kvs", "code": "missingEntitlement"}])
    def test_kinds(self, cloud, browser, values):
        """Each kind of fault, and its removal."""
        twin = Twin(cloud, whole=True)
        page = browser.submit(browser.page(f"{PLACE}/faults"), "fault-add", values)
        twin.agrees("fault-add", page.did)
        page = browser.submit(page, "fault-clear")
        assert "No faults are switched on" in page.text

    @pytest.mark.parametrize("values", [
        {"operation": "save", "code": ""}, {"operation": "push", "effect": ""},
        {"operation": "none"}, {"operation": "save", "times": "0"},
        {"operation": "save", "probability": "2"}, {"operation": "save", "latency": "x"},
        {"operation": "save", "type": "no type"}])
    def test_refused(self, cloud, browser, values):
        browser.submit(browser.page(f"{PLACE}/faults"), "fault-add", values, status=400)
        assert cloud.cli("fault", "list", "-f", "jsonl") == ""

    def test_clock(self, cloud, browser):
        """The clock is stopped, moved, and runs again, for clients, too."""
        page = browser.page(f"{PLACE}/faults")
        page = browser.submit(page, "clock-set", {"now": "2030-01-01T00:00:00Z"})
        page = browser.submit(page, "clock-3600000")
        assert page.shown("clock") == ["2030-01-01T01:00:00.000Z"]
        record = cloud.modify(("create", "a", {"n": 1}))[0]
        assert record["created"]["timestamp"] == 1893459600000
        page = browser.submit(page, "clock-run")
        record = cloud.modify(("create", "b", {"n": 1}))[0]
        assert abs(record["created"]["timestamp"] / 1000 - time.time()) < 60
        for text in ("", "today", "99999-01-01"):
            browser.submit(page, "clock-set", {"now": text}, status=400)
        for step in ("9223372036854775807", "9223370000000000000", "-9223372036854775808"):
            browser.submit(page, "clock-60000", {"step": step}, status=400)


class TestUsage:
    def test_storage_and_requests(self, cloud, browser):
        """Records, bytes and requests by user; the charts have their numbers as tables."""
        cloud.modify(*[("create", f"n{n}", {"n": n}) for n in range(3)])
        cloud.cli("record", "save", "Note", "--name", "hers", "n:=1", "-d", "private", "-u", "ann")
        cloud.cli("account", "quota", "1000", "-u", "ann")
        cloud.send("records/query", {"query": {}}, user="ann")
        page = browser.page(f"{PLACE}/usage")

        def table(name):
            text = page.text.split(f'data-testid="{name}"')[1].split("</table>")[0]
            return {
                row[0]: row[1:] for row in (
                    re.findall(r"<t[hd][^>]*>(?:<span[^>]*>)?([^<]*)", line)
                    for line in text.split("<tr>")[2:])}

        storage = table("storage")
        assert storage["me"][0] == "3" and storage["ann"][0] == "1"
        shown = json.loads(cloud.cli("account", "show", "ann", "-f", "jsonl"))
        assert storage["ann"][1:3] == [str(shown["bytes"]), "1,000"]
        assert table("creators")["me"] == ["3"] and table("creators")["ann"] == ["1"]
        assert table("callers")["me"] == ["1", "0"] and table("callers")["ann"] == ["1", "1"]
        today = time.strftime("%Y-%m-%d", time.gmtime())
        numbers = page.text.split("Records created, numbers")[1].split("</table>")[0]
        assert re.search(rf'>{today}</th><td class="num">4<', numbers)
        assert page.text.count('<rect class="all"') == 2 and '<rect class="part"' in page.text

    def test_slow_queries(self, cloud, browser):
        """The slowest queries, each kind once, lead to their explanation."""
        cloud.modify(("create", "a", {"n": 1}))
        for _ in range(3):
            cloud.post("records/query", {"query": {"recordType": "Note"}})
        page = browser.page(f"{PLACE}/usage")
        assert len(page.links["explain"]) == 1
        page = browser.page(page.links["explain"][0])
        assert page.shown("plan")[0]

    def test_kept(self, cloud, browser):
        """A slow query is remembered longer than other requests."""
        cloud.modify(("create", "a", {"n": 1}))
        cloud.post("records/query", {"query": {"recordType": "Note"}})
        session = requests.Session()
        for _ in range(2100):
            session.get(f"{cloud.url}/healthz")
        page = browser.page(f"{PLACE}/usage")
        assert browser.page(page.links["explain"][0]).shown("plan")
