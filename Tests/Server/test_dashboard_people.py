"""The dashboard's pages of people: accounts, devices, shares with everyone's side, and why a person
may not do something. Each action is compared with the `ckdb` line that it shows."""

import json
import re
import subprocess

import pytest

from conftest import CONTAINER, PROGRAM
from dashboard import Browser
from twin import Twin

PLACE = f"/{CONTAINER}/development/private"


@pytest.fixture
def browser(cloud):
    return Browser(cloud)


def cells(page, test_id):
    """The texts of elements, without chips run together."""
    return [" ".join(text.split()) for text in page.shown(test_id)]


class TestPeople:
    def test_accounts(self, cloud, browser):
        """Accounts are created, get a status and a quota, and their devices are connected."""
        cloud.cli("record", "save", "Note", "n:=1", "-d", "private")
        page, people = browser.page(f"{PLACE}/people"), f"{PLACE}/people"
        for action, button, values, said in [
                ("account-create", "account-create", {"name": "ann", "email": "ann@example.com"},
                 "Created the account ann"),
                ("account-status", "status-ann", {"status": "restricted"}, "ann is now restricted"),
                ("account-status", "status-ann", {"status": "available"}, "ann is now available"),
                ("account-quota", "quota-me", {"quota": "1000"}, "Set the quota of me"),
                ("account-quota", "quota-me", {"quota": ""}, "me has no quota"),
                ("device-add", "device-add", {"name": "pad", "account": "me"}, "Added the device pad"),
                ("device-network", "offline-pad", {}, "pad is now offline"),
                ("device-network", "online-pad", {}, "pad is now online")]:
            twin = Twin(cloud, whole=True)
            page = browser.submit(page, button, values)
            assert said in page.text and page.answer.url.split("?")[0].endswith(people)
            twin.agrees(action, page.did)
        assert "ann@example.com" in page.text

    def test_other_processes(self, cloud, browser):
        """What another process does to accounts, devices and faults is on the next page, and holds for
        the next action."""
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "private")
        for page in ("people", "faults", "kvs"):
            browser.page(f"{PLACE}/{page}")
        cloud.cli("account", "create", "late")
        cloud.cli("device", "add", "late-pad", "--account", "me")
        assert "late" in browser.page(f"{PLACE}/people").shown("account")
        assert "late-pad" in browser.page(f"{PLACE}/kvs").text
        cloud.cli("fault", "add", "--operation", "query", "--code", "zoneBusy")
        assert "zoneBusy" in browser.page(f"{PLACE}/faults").text
        assert "zoneBusy" in browser.page(f"{PLACE}/records/Note").text
        cloud.cli("fault", "clear")
        new = browser.page(f"{PLACE}/new/Note")
        cloud.cli("account", "quota", "1", "-u", "me")
        refused = browser.submit(new, "edit", {"f.n": "2"}, status=400)
        assert "quotaExceeded" in refused.text
        cloud.cli("account", "quota", "none", "-u", "me")
        cloud.cli("account", "status", "noAccount", "-u", "me")
        assert "notAuthenticated" in browser.page(f"{PLACE}/records/Note").text

    def test_way_back(self, cloud, browser):
        """The page of a refused action is at its place, with a way back."""
        page = browser.page(f"{PLACE}/people")
        refused = browser.submit(page, "device-add", {"name": "cli", "account": "me"}, status=400)
        assert f'href="{PLACE}/people"' in refused.text and "acting as" in refused.text

    @pytest.mark.parametrize("button, values", [
        ("account-create", {"name": ""}), ("account-create", {"name": "none"}),
        ("account-create", {"name": "x", "email": "none"}), ("quota-me", {"quota": "-1"}),
        ("quota-me", {"quota": "many"}), ("device-add", {"name": "cli"}),
        ("device-add", {"name": "me", "account": "none"})])
    def test_refused(self, cloud, browser, button, values):
        cloud.cli("record", "save", "Note", "n:=1", "-d", "private")
        twin = Twin(cloud, whole=True)
        browser.submit(browser.page(f"{PLACE}/people"), button, values, status=400)
        assert twin.contents(twin.variables) == twin.contents(cloud.environment)


@pytest.fixture
def shared(cloud):
    """A list with two items in a zone of me; ann and bob are accounts."""
    cloud.cli("zone", "create", "Lists", "-d", "private")
    cloud.cli("record", "save", "List", "--name", "shop", "title=Saturday", "-z", "Lists", "-d", "private")
    for name in ("milk", "eggs"):
        cloud.cli("record", "save", "Item", "--name", name, "--parent", "shop", "n:=1", "-z", "Lists",
                  "-d", "private")
    cloud.cli("record", "save", "Item", "--name", "secret", "n:=1", "-z", "Lists", "-d", "private")
    for name in ("ann", "bob"):
        cloud.cli("account", "create", name)
    return cloud


class TestSharing:
    def share(self, browser):
        page = browser.page(f"{PLACE}/record/shop", zone="Lists")
        return browser.submit(page, "share-create", {"who": "ann", "permission": "readWrite"})

    def step(self, cloud, browser, page, action, button, values=None):
        """Submits a form, and compares its line."""
        twin = Twin(cloud, whole=True)
        page = browser.submit(page, button, values)
        twin.agrees(action, page.did)
        return page

    def test_two_people(self, shared, browser):
        """Both sides of a share on one page: what each person sees, and by which right (R10.3)."""
        twin = Twin(shared, whole=True)
        page = self.share(browser)
        twin.agrees("share-create", page.did)
        assert cells(page, "side-ann")[0].startswith("ann")
        assert "pending" in page.text and "has not accepted" in page.text
        page = self.step(shared, browser, page, "share-accept", "share-accept-ann")
        assert "ann has accepted" in page.text
        seen = cells(page, "cell-ann")
        assert len(seen) == 3 and all("gives readWrite" in text for text in seen), seen
        assert all("not a participant" in text for text in cells(page, "cell-bob"))
        assert "secret" not in page.text
        # The right is the one that the service checks.
        shared.cli("record", "save", "Item", "--name", "milk", "--policy", "changed", "n:=2",
                   "-z", "Lists:me", "-d", "shared", "-u", "ann")
        page = self.step(shared, browser, page, "share-permission", "set-ann", {"permission": "readOnly"})
        assert all("gives readOnly" in text for text in cells(page, "cell-ann"))
        shared.cli("record", "save", "Item", "--name", "milk", "--policy", "changed", "n:=3",
                   "-z", "Lists:me", "-d", "shared", "-u", "ann", code=77)
        page = self.step(shared, browser, page, "share-leave", "share-leave-ann")
        assert all("left" in text for text in cells(page, "cell-ann"))

    def test_requests_for_access(self, shared, browser):
        """A person asks, and the owner approves, denies or blocks (R10.2.9)."""
        page = self.share(browser)
        page = self.step(
            shared, browser, page, "share-edit", "share-settings", {"requests": "on", "public": "none"})
        page = self.step(shared, browser, page, "share-request", "share-request-bob")
        assert "requested" in page.text
        page = self.step(shared, browser, page, "share-answer", "block-bob")
        assert all("blocked from" in text for text in cells(page, "cell-bob"))
        page = self.step(shared, browser, page, "share-answer", "unblock-bob")
        page = browser.submit(page, "share-request-bob")
        page = self.step(shared, browser, page, "share-answer", "approve-bob")
        page = browser.submit(page, "share-accept-bob")
        assert all("gives readOnly" in text for text in cells(page, "cell-bob"))
        page = self.step(shared, browser, page, "share-remove", "remove-bob")
        page = self.step(
            shared, browser, page, "share-invite", "invite", {"who": "cem@example.com"})
        assert "cem@example.com" in page.text
        page = self.step(shared, browser, page, "share-stop", "stop")
        assert "Nothing is shared here" in page.text

    def test_unknown_permission(self, shared, browser):
        page = self.share(browser)
        browser.submit(page, "share-settings", {"public": "bogus"}, status=400)
        assert '"publicPermission":"none"' in shared.cli("share", "list", "-f", "jsonl")

    def test_names_with_colons(self, shared, browser):
        """A name that commands cannot tell from a permission has no line."""
        shared.cli("account", "create", "a:write")
        page = browser.submit(self.share(browser), "invite", {"who": "a:write"})
        assert "Invited a:write" in page.text and page.did == ""

    def test_zone(self, shared, browser):
        """A whole zone is shared on the page of people."""
        page = browser.page(f"{PLACE}/people", zone="Lists")
        page = self.step(shared, browser, page, "share-create", "share-zone")
        assert "the zone Lists" in page.text and "secret" in page.text

    def test_owner_without_an_account(self, shared, browser):
        """The page of a participant says why it does not show the records of the owner."""
        page = self.share(browser)
        browser.submit(page, "share-accept-ann")
        shared.cli("account", "status", "noAccount", "-u", "me")
        name = json.loads(shared.cli("share", "list", "-f", "jsonl", "-u", "ann"))["recordName"]
        place = PLACE.replace("private", "shared")
        answer = browser.get(f"{place}/share/{name}", **{"as": "ann"})
        assert answer.status_code == 200 and "notAuthenticated" in answer.text

    def test_picture(self, shared, browser):
        """Who takes part in which share, as a picture and as the same in a table."""
        self.share(browser)
        page = browser.page(f"{PLACE}/people")
        assert page.shown("share") == ["shop"]
        assert re.search(r'<path class="waiting"', page.text) and '<path class="owner"' in page.text
        rights = page.text.split('data-testid="rights"')[1].split("</table>")[0]
        assert "owner" in rights and "pending" in rights and "readWrite" in rights

    def test_people_of_others_see_nothing(self, shared, browser):
        """The page of a share is its owner's or a participant's (R10.2.9)."""
        self.share(browser)
        name = json.loads(shared.cli("share", "list", "-f", "jsonl"))["recordName"]
        assert browser.get(f"{PLACE}/share/{name}", zone="Lists").status_code == 200
        assert browser.get(f"{PLACE}/share/{name}", **{"as": "bob"}).status_code == 404


class TestAccess:
    """Why may she not? The table agrees with what the operations do."""

    @staticmethod
    def table(page):
        table = page.text.split('data-testid="access"')[1].split("</table>")[0]
        rows = re.findall(r'<th scope="row">([^<]*)</th>(.*?)</tr>', table, re.S)
        return {
            who: [cell.startswith("yes") for cell in
                  re.findall(r'<span class="chip (?:good|bad)">(\w+)<', row)]
            for who, row in rows}, table

    def test_shared(self, shared, browser):
        shared.cli("share", "create", "shop", "-z", "Lists", "-d", "private", "--with", "ann:read")
        url = shared.cli("share", "url", "shop", "-z", "Lists", "-d", "private").strip()
        shared.cli("share", "accept", url, "-u", "ann")
        rights, text = self.table(browser.page(f"{PLACE}/access/milk", zone="Lists"))
        assert rights["me"] == [True] * 3 and rights["ann"] == [True, False, False]
        assert rights["bob"] == [False] * 3 and rights["no account"] == [False] * 3
        assert "own" in text and "gives readOnly" in text and "not a participant of" in text
        rights, text = self.table(browser.page(f"{PLACE}/access/secret", zone="Lists"))
        assert rights["ann"] == [False] * 3 and "no share covers the record" in text

    def test_restricted(self, shared, browser):
        """A restricted account may look, but not change (R11.4.9)."""
        shared.cli("account", "restrict", "me")
        rights, text = self.table(browser.page(f"{PLACE}/access/milk", zone="Lists"))
        assert rights["me"] == [True, False, False] and "restricted" in text

    @pytest.mark.parametrize("grants", [
        "GRANT READ TO \"_world\"", "GRANT READ, WRITE TO \"_icloud\"",
        "GRANT WRITE TO \"_creator\", GRANT READ TO \"_icloud\"", "GRANT READ TO \"_creator\""])
    def test_public_grants(self, cloud, browser, grants):
        """The grants of R11.4, for the creator, another account, and nobody: compared with what the
        same requests do."""
        cloud.cli("schema", "import", "-", text=f"""
            DEFINE SCHEMA
            RECORD TYPE Note (n INT64 QUERYABLE, GRANT CREATE TO "_icloud", {grants});""")
        cloud.cli("record", "save", "Note", "--name", "a", "n:=1", "-d", "public", "-u", "ann")
        cloud.cli("account", "create", "bob")
        rights, _ = self.table(browser.page(
            f"/{CONTAINER}/development/public/access/a", **{"as": "ann"}))
        for user in ("ann", "bob", "no account"):
            account = ["-u", "none" if user == "no account" else user]

            def works(*words):
                done = subprocess.run(
                    [PROGRAM, *words, "-d", "public", *account], env=cloud.environment,
                    capture_output=True)
                return done.returncode == 0

            read = works("record", "fetch", "a")
            change = works("record", "save", "Note", "--name", "a", "--policy", "changed", "n:=2")
            assert rights[user][:2] == [read, change], (user, grants)
