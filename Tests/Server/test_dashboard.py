"""The dashboard (cli.md §16): pages, addresses, sessions, and what a page must never do (S02, S03,
S15)."""

import html
import re

import pytest
import requests

from conftest import CONTAINER
from dashboard import Browser

PLACE = f"/{CONTAINER}/development/private"
HOSTILE = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='alert(1)",
    # With a combining mark the quote is another character, but ends an attribute all the same.
    "\"\u0301 onfocus=alert(1) autofocus x=\"", "</title><script>alert(1)</script>", "{{frame}}",
    "javascript:alert(1)", "a\u202eb", "&lt;b&gt;",
]


@pytest.fixture
def browser(cloud):
    return Browser(cloud)


class TestOpening:
    def test_code_works_once(self, cloud):
        first, second = Browser(cloud, opens=False), Browser(cloud, opens=False)
        link = cloud.ready["openURL"]
        answer = first.open(link)
        assert answer.status_code == 200 and answer.url == f"{cloud.url}/"
        assert second.open(link).status_code == 401
        assert second.get("/").status_code == 401

    def test_loading_a_link_keeps_its_code(self, cloud):
        for _ in range(3):
            assert requests.get(cloud.ready["openURL"]).status_code == 200
        assert Browser(cloud).get("/").status_code == 200

    def test_cookie(self, cloud):
        """HttpOnly, strict, and named after the port, as other servers of this host have others."""
        page = requests.get(cloud.ready["openURL"])
        code = re.search(r'value="([0-9a-f]+)"', page.text)[1]
        answer = requests.post(
            f"{cloud.url}/open", data={"code": code}, headers={"Origin": cloud.url},
            allow_redirects=False)
        port = cloud.ready["port"]
        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith(f"ckdb-{port}=")
        assert "; HttpOnly" in cookie and "; SameSite=Strict" in cookie
        assert "Secure" not in cookie

    @pytest.mark.parametrize("path", ["/", PLACE, f"{PLACE}/records/Note", f"{PLACE}/schema", "/go"])
    def test_closed(self, cloud, path):
        """Without the cookie, no page shows anything (cli.md §16)."""
        cloud.modify(("create", "secret-name", {"n": 1}))
        answer = requests.get(cloud.url + path)
        assert answer.status_code == 401
        assert "secret-name" not in answer.text and CONTAINER not in answer.text

    @pytest.mark.parametrize("headers", [
        {"Origin": "https://evil.example"}, {"Origin": "null"}, {},
        {"Sec-Fetch-Site": "cross-site"}])
    def test_forged_forms(self, cloud, headers):
        """S03: a form must come from a page of this server."""
        answer = requests.post(f"{cloud.url}/open", data={"code": "a"}, headers=headers)
        assert answer.status_code == 403

    def test_other_origins_and_hosts(self, cloud):
        browser = Browser(cloud)
        for headers in [
                {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
                {"Host": "evil.example"}]:
            answer = browser.session.get(cloud.url + "/", headers=headers)
            assert answer.status_code == 403
            assert "Access-Control-Allow-Origin" not in answer.headers


class TestPages:
    def test_start(self, browser):
        page = browser.get("/")
        assert page.status_code == 200 and CONTAINER in page.text
        assert browser.command(page) == "ckdb container list"

    def test_headers(self, cloud, browser):
        """S15: no script but ours, no frame, nothing from elsewhere, on every answer."""
        cloud.modify(("create", "a", {"n": 1}))
        paths = ["/", "/dashboard.css", "/dashboard.js", "/open?code=x", f"{PLACE}/records",
                 f"{PLACE}/records/Note", f"{PLACE}/record/a", f"{PLACE}/record/none", "/iCloud.x"]
        for path in paths:
            answer = browser.get(path)
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert not re.search(r"<script[^>]*>[^<]", answer.text)
            assert not re.search(r'(src|href|action)="(https?:)?//', answer.text)

    def test_policy_everywhere(self, cloud, browser):
        """S15: every answer of the server has a content security policy, refusals too."""
        for answer in [
                requests.get(cloud.url + "/"), requests.get(cloud.url + "/nothing"),
                requests.get(cloud.url + "/healthz"), requests.get(cloud.url + "/metrics"),
                requests.post(cloud.url + "/open"), requests.get(cloud.url + "/sign-in"),
                requests.get(cloud.url + "/", headers={"Host": "evil.example"}),
                requests.put(cloud.url + "/"), cloud.send("records/lookup", {}),
                browser.session.get(cloud.url + "/", headers={"Sec-Fetch-Site": "cross-site"})]:
            policy = answer.headers.get("Content-Security-Policy", "")
            assert "default-src 'none'" in policy, (answer.url, answer.status_code)
            assert "frame-ancestors" in policy or "sandbox" in policy, answer.url

    def test_table(self, cloud, browser):
        cloud.modify(*[("create", f"n{i:03}", {"number": i, "text": f"t{i}"}) for i in range(120)])
        page = browser.get(f"{PLACE}/records/Note", sort="-number")
        names = re.findall(r'data-testid="record">([^<]*)<', page.text)
        assert names == [f"n{i:03}" for i in range(119, 69, -1)]
        seen = list(names)
        while next_page := re.search(r'href="([^"]*)"[^>]* data-testid="next"', page.text):
            page = browser.get(html.unescape(next_page[1]))
            assert page.status_code == 200
            seen += re.findall(r'data-testid="record">([^<]*)<', page.text)
        assert seen == [f"n{i:03}" for i in range(119, -1, -1)]

    def test_predicate(self, cloud, browser):
        cloud.modify(*[("create", f"n{i}", {"number": i}) for i in range(9)])
        page = browser.get(f"{PLACE}/records/Note", where="number > 6 OR number == 1")
        names = re.findall(r'data-testid="record">([^<]*)<', page.text)
        assert sorted(names) == ["n1", "n7", "n8"]
        # CloudKit refuses OR: the finding and its place are on the page, and so are the records.
        assert "P-OR" in page.text and "<mark>" in page.text

    def test_rewrite(self, cloud, browser):
        """A name that was probably meant is one click away, in the place of the other one."""
        cloud.modify(("create", "a", {"number": 7, "text": "é"}))
        page = browser.get(f"{PLACE}/records/Note", where="text == 'é' AND numbr == 7")
        link = html.unescape(re.search(r'data-testid="rewrite" href="([^"]*)"', page.text)[1])
        assert re.findall(r'data-testid="record">([^<]*)<', browser.get(link).text) == ["a"]

    def test_faulty_predicate(self, cloud, browser):
        cloud.modify(("create", "a", {"number": 1}))
        page = browser.get(f"{PLACE}/records/Note", where="number >")
        assert page.status_code == 200 and 'data-testid="fault"' in page.text
        assert not re.findall(r'data-testid="record"', page.text)

    def test_values(self, cloud, browser):
        """No value, an empty text and a text of several lines all look different."""
        cloud.modify(
            ("create", "a", {"text": "", "other": "x"}),
            ("create", "b", {"text": "one\ntwo"}))
        page = browser.get(f"{PLACE}/record/a").text
        assert "&quot;&quot;" in page
        page = browser.get(f"{PLACE}/record/b").text
        assert "<pre>one&#10;two</pre>" in page and ">none<" in page

    def test_acting(self, cloud, browser):
        """A page acts as the account in its address, with its refusals."""
        cloud.modify(("create", "mine", {"number": 1}))
        assert "mine" in browser.get(f"{PLACE}/records/Note").text
        other = browser.get(f"{PLACE}/records/Note", **{"as": "ann"}).text
        assert 'data-testid="record">mine' not in other
        nobody = browser.get(f"{PLACE}/records/Note", **{"as": "none"}).text
        assert "<b>notAuthenticated</b>" in nobody

    def test_going(self, browser):
        """The form in the header leads to an address that says everything."""
        page = browser.session.get(
            f"{browser.cloud.url}/go", allow_redirects=False, params={
                "container": CONTAINER, "environment": "production", "database": "public",
                "zone": "", "as": "ann", "device": "phone", "page": "records/Note"})
        assert page.status_code == 303
        assert page.headers["Location"] == \
            f"/{CONTAINER}/production/public/records/Note?as=ann&device=phone"

    @pytest.mark.parametrize("path", [
        "/iCloud.org.none/development/private/records", f"/{CONTAINER}/staging", "/iCloud.",
        f"/{CONTAINER}/development/secret", f"{PLACE}/records/Note/more", f"{PLACE}/record/none",
        f"{PLACE}/records?zone=none", f"{PLACE}/records?as=%01", f"{PLACE}/records?device="])
    def test_wrong_addresses(self, browser, path):
        """A wrong address is a page that says so, never an error of the server."""
        answer = browser.get(path)
        assert answer.status_code in (200, 400, 404) and answer.headers["Content-Type"].startswith(
            "text/html") or answer.status_code == 400


class TestCommands:
    """The command line at the foot does what the page does (cli.md §16)."""

    def names(self, cloud, line, *more):
        import shlex
        words = shlex.split(line)
        assert words[0] == "ckdb"
        return cloud.cli(*words[1:], *more)

    @pytest.mark.parametrize("parameters", [
        {}, {"where": "number > 3"}, {"where": 'text == "it\'s"', "sort": "-number"},
        {"sort": "number"}, {"as": "ann"}, {"zone": "_defaultZone"}])
    def test_records(self, cloud, browser, parameters):
        cloud.modify(*[
            ("create", f"n{i:02}", {"number": i, "text": "it's" if i % 2 else "x"})
            for i in range(9)])
        page = browser.get(f"{PLACE}/records/Note", **parameters)
        shown = re.findall(r'data-testid="record">([^<]*)<', page.text)
        listed = self.names(cloud, browser.command(page), "-f", "names").split()
        assert shown == listed

    def test_record_and_schema(self, cloud, browser):
        cloud.modify(("create", "it's", {"number": 7}))
        page = browser.get(f"{PLACE}/record/it%27s")
        assert "7" in self.names(cloud, browser.command(page))
        assert "number" in self.names(cloud, browser.command(browser.get(f"{PLACE}/schema")))


class TestHostileValues:
    """S15: whatever a record contains is shown as text."""

    @pytest.mark.parametrize("value", HOSTILE)
    def test_values(self, cloud, browser, value):
        cloud.modify(("create", "a", {"text": value}))
        for path in [f"{PLACE}/records/Note", f"{PLACE}/record/a"]:
            self.check(browser.get(path).text, value)

    @pytest.mark.parametrize("value", HOSTILE)
    def test_predicates(self, cloud, browser, value):
        cloud.modify(("create", "a", {"text": "x"}))
        self.check(browser.get(f"{PLACE}/records/Note", where=value).text, value)
        self.check(browser.get(f"{PLACE}/records/{requests.utils.quote(value, safe='')}").text, "")

    def check(self, page, value):
        from html.parser import HTMLParser

        class Tags(HTMLParser):
            texts, wrong = [], []

            def handle_starttag(self, tag, attributes):
                names = [name for name, _ in attributes]
                if tag in ("img", "b") and "data-testid" not in names and tag == "img" \
                        or any(name.startswith("on") for name in names):
                    self.wrong.append((tag, attributes))
                if tag == "script":
                    assert dict(attributes)["src"].endswith("dashboard.js")
                if tag == "input" and dict(attributes).get("name") == "where":
                    self.texts.append(dict(attributes)["value"])
                for name, text in attributes:
                    if name in ("href", "src", "action"):
                        assert not (text or "").lower().startswith("javascript:")

            def handle_data(self, data):
                self.texts.append(data)

        tags = Tags()
        tags.feed(page)
        assert not tags.wrong
        assert value.strip() in "\n".join(tags.texts)
