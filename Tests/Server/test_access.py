"""Who may do what: every path and every kind of caller, as one table."""

import itertools
import json
import time

import pytest

from conftest import Signer, error, own_address

ENDPOINTS = {
    "records/query": {"query": {"recordType": "Note"}},
    "records/lookup": {"records": [{"recordName": "r"}]},
    "records/modify": {"operations": []},
    "changes/database": {},
    "changes/zone": {"zones": []},
    "records/changes": {"zoneID": {"zoneName": "None"}},
    "zones/list": {},
    "zones/lookup": {"zones": []},
    "zones/modify": {"operations": []},
    "zones/changes": {},
    "subscriptions/list": {},
    "subscriptions/lookup": {"subscriptions": []},
    "subscriptions/modify": {"operations": []},
    "users/caller": {},
    "users/current": {},
    "users/discover": {"lookupInfos": []},
    "users/lookup/email": {"users": []},
    "users/lookup/id": {"users": []},
    "users/lookup/contacts": {},
    "records/resolve": {"shortGUIDs": []},
    "records/accept": {"shortGUIDs": []},
    "assets/upload": {"tokens": []},
    "assets/rereference": {"assets": []},
}
READABLE_BY_NOBODY = {
    "records/query", "records/lookup", "zones/list", "assets/rereference"}
PUBLIC_ONLY = {
    name for name in ENDPOINTS if name.startswith("users/") and name != "users/caller"
} | {"records/resolve", "records/accept"}
#: Without a zone these mean the default zone, which is never shared.
OF_A_ZONE = {"records/query", "records/lookup", "assets/upload", "assets/rereference"}
NOT_PUBLIC = {
    "changes/database", "changes/zone", "records/changes", "zones/changes", "zones/modify"}


def expected(endpoint, database, caller):
    """The status of an answer."""
    if caller in ("no token", "other token"):
        return 401
    if caller in ("other origin", "null origin", "cross-site", "other host"):
        return 403
    if caller == "key" and database != "public":
        return 403
    if database == "public" and endpoint in NOT_PUBLIC:
        return 400
    if database != "public" and endpoint in PUBLIC_ONLY:
        return 400
    if caller == "nobody" and (database != "public" or endpoint not in READABLE_BY_NOBODY):
        return 421
    if endpoint == "records/changes":
        return 404
    return 400 if database == "shared" and endpoint in OF_A_ZONE else 200


def test_table(cloud, tmp_path):
    cloud.modify(("create", "r", {"text": "x"}), database="public")
    signer = Signer(cloud, tmp_path)
    other = cloud.cli("token", "create", "-e", "production").strip()
    callers = [
        "no token", "other token", "nobody", "signed in", "key", "own origin", "other origin",
        "null origin", "cross-site", "other host",
    ]
    wrong = []
    signed_in = cloud.query("me")
    nobody = cloud.query(None)
    for endpoint, database, caller in itertools.product(
            ENDPOINTS, ("public", "private", "shared"), callers):
        body = json.dumps(ENDPOINTS[endpoint]).encode()
        target = cloud.path(endpoint, database)
        headers, query = {}, signed_in
        if caller == "no token":
            query = ""
        elif caller == "other token":
            query = signed_in.replace(cloud.token, other)
        elif caller == "nobody":
            query = nobody
        elif caller == "key":
            query, headers = "", signer.headers(target, body)
        elif caller == "own origin":
            headers = {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "cross-site"}
        elif caller == "other origin":
            headers = {"Origin": "https://evil.example"}
        elif caller == "null origin":
            headers = {"Origin": "null"}
        elif caller == "cross-site":
            headers = {"Sec-Fetch-Site": "cross-site"}
        elif caller == "other host":
            headers = {"Host": "evil.example"}
        url = cloud.url + target + ("?" + query if query else "")
        answer = cloud.session.post(url, data=body, headers=headers)
        status = expected(endpoint, database, caller)
        if answer.status_code != status:
            wrong.append((endpoint, database, caller, status, answer.status_code, answer.text))
        allowed = answer.headers.get("Access-Control-Allow-Origin")
        if allowed != ("http://localhost:3000" if caller == "own origin" else None):
            wrong.append((endpoint, database, caller, "origin", allowed))
    assert not wrong, "\n".join(str(row) for row in wrong)


CONTROL = [
    ("POST", "reset"), ("POST", "snapshots"), ("POST", "restore"), ("POST", "fixtures"),
    ("GET", "faults"), ("POST", "faults"), ("DELETE", "faults"), ("POST", "clock"),
    ("GET", "requests"),
]


@pytest.mark.parametrize("method, path", CONTROL)
def test_control(cloud, method, path):
    def status(**headers):
        return cloud.control(method, path, {}, headers=headers).status_code

    assert status() == 401
    assert status(Authorization="Bearer " + "0" * 64) == 401
    assert status(Authorization="Bearer " + cloud.token) == 401
    assert status(**cloud.admin, Origin="http://localhost:3000") == 403
    assert status(**cloud.admin, Host="evil.example") == 403
    assert status(**cloud.admin, **{"Sec-Fetch-Site": "cross-site"}) == 403
    answer = cloud.control(method, path, {}, headers={**cloud.admin, "Origin": cloud.url})
    assert answer.status_code in (200, 201, 400)
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_token_origins(cloud):
    """W2.1: a token with origins is for their pages alone."""
    token = cloud.cli("token", "create", "--origin", "https://app.example.org").strip()
    for origin, status in [
            ("https://app.example.org", 421), ("http://localhost:3000", 403),
            ("https://app.example.org.evil", 403)]:
        answer = cloud.session.get(
            cloud.url + cloud.path("users/caller", "public"), params={"ckAPIToken": token},
            headers={"Origin": origin})
        assert answer.status_code == status, origin
        allowed = answer.headers.get("Access-Control-Allow-Origin")
        assert allowed == (origin if status == 421 else None)


def test_preflight(cloud):
    url = cloud.url + cloud.path("records/modify") + "?" + cloud.query(None)
    answer = cloud.session.options(
        url, headers={
            "Origin": "http://127.0.0.1:5000", "Access-Control-Request-Method": "POST"})
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "http://127.0.0.1:5000"
    assert answer.headers["Vary"] == "Origin"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert cloud.session.options(url, headers={"Origin": "https://evil.example"}).status_code == 403


def test_read_only(make_cloud):
    cloud = make_cloud("--read-only", "--log", "none", "--allow-reset")
    assert error(cloud.send("records/modify", {"operations": []}))[:2] == (403, "ACCESS_DENIED")
    assert cloud.control("POST", "reset").status_code == 403
    assert cloud.post("zones/list", {})["zones"]


def test_without_reset(make_cloud):
    cloud = make_cloud("--log", "none")
    for path in ("reset", "snapshots", "restore", "fixtures"):
        assert cloud.control("POST", path, {"name": "a"}).status_code == 403


class TestSignIn:
    """W2.1: the sign-in page."""

    def redirect(self, cloud, **headers):
        answer = cloud.session.get(
            cloud.url + cloud.path("users/caller", "public"),
            params={"ckAPIToken": cloud.token}, headers=headers)
        assert error(answer)[:2] == (421, "AUTHENTICATION_REQUIRED")
        return answer.json()["redirectURL"]

    def sign_in(self, cloud, url, origin=None):
        return cloud.session.post(
            url, data={"account": "ann"}, headers={"Origin": origin or cloud.url},
            allow_redirects=False)

    def test_page(self, cloud):
        cloud.cli("account", "create", "ann")
        url = self.redirect(cloud, Origin="http://localhost:3000")
        page = cloud.session.get(url, headers={"Sec-Fetch-Site": "cross-site"})
        assert ">ann<" in page.text
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
        done = self.sign_in(cloud, url)
        assert 'data-origins="http://localhost:3000"' in done.text
        token = done.text.split('data-token="')[1].split('"')[0]
        answer = cloud.send("users/caller", database="public", user=None, ckWebAuthToken=token)
        assert answer.status_code == 200
        script = cloud.session.get(cloud.url + "/sign-in.js")
        assert "postMessage" in script.text and '"*"' not in script.text

    def test_forgeries(self, cloud):
        url = self.redirect(cloud)
        assert self.sign_in(cloud, url, "https://evil.example").status_code == 403
        assert cloud.session.post(url, data={"account": "ann"}).status_code == 403
        assert cloud.session.get(url + "&origin=https://evil.example").status_code == 403
        assert cloud.session.get(cloud.url + "/sign-in").status_code == 401

    def test_other_machine(self, make_cloud):
        """Beyond this machine the accounts are listed for the admin alone (cli.md §13)."""
        address = own_address()
        cloud = make_cloud("--host", "0.0.0.0", "--insecure")
        cloud.cli("account", "create", "ann")
        base = f"http://{address}:{cloud.ready['port']}"
        url = f"{base}/sign-in?ckAPIToken={cloud.token}"
        page = cloud.session.get(url)
        assert page.status_code == 200 and ">ann<" not in page.text
        for form in ({"account": "ann"}, {"adminToken": "0" * 64, "account": "ann"}):
            refused = cloud.session.post(url, data=form, headers={"Origin": base})
            assert refused.status_code == 403
        admin = {"adminToken": cloud.ready["adminToken"]}
        page = cloud.session.post(url, data=admin, headers={"Origin": base})
        assert ">ann<" in page.text and admin["adminToken"] in page.text
        done = cloud.session.post(
            url, data={"account": "ann", **admin}, headers={"Origin": base})
        assert "data-token=" in done.text

    def test_callback(self, cloud):
        cloud.token = cloud.cli(
            "token", "create", "--callback", "https://app.example.org/done").strip()
        answer = self.sign_in(cloud, self.redirect(cloud))
        assert answer.status_code == 303
        assert answer.headers["Location"].startswith(
            "https://app.example.org/done?ckWebAuthToken=")


def test_new_and_deleted(cloud):
    """A token that the tool makes is valid at once, and one that it deletes ends soon, though no
    other request comes meanwhile."""
    def caller(token):
        return cloud.session.get(
            cloud.url + cloud.path("users/caller", "public"),
            params={"ckAPIToken": token, "ckWebAuthToken": web}).status_code

    web = ""
    assert caller("0" * 64) == 401
    token = cloud.cli("token", "create").strip()
    web = cloud.cli("token", "sign-in", "ann", "--token", token).strip()
    assert caller(token) == 200
    cloud.cli("token", "delete", token)
    time.sleep(0.15)
    assert caller(token) == 401


def test_new_key(cloud, tmp_path):
    """A key is valid at once, on a server that has seen nothing but an unknown one."""
    unknown = Signer(cloud, tmp_path)
    cloud.cli("key", "delete", "development")
    assert unknown.send("users/caller").status_code == 401
    (tmp_path / "development.pem").unlink()
    assert Signer(cloud, tmp_path).send("users/caller").status_code == 200
