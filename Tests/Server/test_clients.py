"""Clients that others wrote work with the server."""

import datetime
import json

import pytest
import requests
import urllib3

from conftest import CONTAINER, Signer, error

urllib3.disable_warnings()


@pytest.fixture
def pyicloud(make_cloud):
    from pyicloud.common.cloudkit.client import CloudKitContainerClient

    cloud = make_cloud("--tls", "--log", "none")
    session = requests.Session()
    session.verify = False
    session.trust_env = False

    def client(**others):
        return CloudKitContainerClient(
            f"{cloud.url}/database/1/{CONTAINER}/development/private", session,
            {"ckAPIToken": cloud.token, "ckWebAuthToken": cloud.web_token("me")}, **others)

    return cloud, client


class TestPyicloud:
    """pyicloud's typed client, written against the real service (W9)."""

    def test_records(self, pyicloud):
        from pyicloud.common.cloudkit import models

        cloud, client = pyicloud
        client = client()
        zone = models.CKZoneIDReq(zoneName="Lists")
        cloud.post(
            "zones/modify",
            {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Lists"}}}]})

        def operation(kind, name, tag=None, **fields):
            return models.CKModifyOperation(
                operationType=kind,
                record=models.CKWriteRecord(
                    recordName=name, recordType="Item", recordChangeTag=tag,
                    fields={k: {"type": t, "value": v} for k, (t, v) in fields.items()}))

        made = client.modify(
            operations=[
                operation("create", f"i{n}", title=("STRING", f"Title {n}"), count=("INT64", n))
                for n in range(5)
            ], zone_id=zone, atomic=True)
        assert [record.recordName for record in made.records] == [f"i{n}" for n in range(5)]
        assert made.records[3].fields["count"].value == 3

        query = models.CKQueryObject(
            recordType="Item",
            filterBy=[
                models.CKQueryFilterBy(
                    comparator="GREATER_THAN", fieldName="count",
                    fieldValue=models.CKFVInt64(type="INT64", value=1))
            ], sortBy=[models.CKQuerySortBy(fieldName="count", ascending=False)])
        found = client.query(query=query, zone_id=zone, results_limit=2)
        assert [record.recordName for record in found.records] == ["i4", "i3"]
        rest = client.query(
            query=query, zone_id=zone, results_limit=2, continuation=found.continuationMarker)
        assert [record.recordName for record in rest.records] == ["i2"]
        assert rest.continuationMarker is None

        looked = client.lookup(["i1", "none"], zone_id=zone)
        assert looked.records[0].fields["title"].value == "Title 1"
        assert looked.records[1].serverErrorCode == "NOT_FOUND"

        changed = client.modify(
            operations=[
                operation(
                    "update", "i1", tag=looked.records[0].recordChangeTag,
                    title=("STRING", "changed")),
                operation("delete", "i0", tag=made.records[0].recordChangeTag),
            ], zone_id=zone)
        assert changed.records[0].fields["count"].value == 1
        assert changed.records[1].deleted is True

    def test_feeds(self, pyicloud):
        from pyicloud.common.cloudkit import models

        cloud, client = pyicloud
        client = client()
        create = {"operationType": "create", "zone": {"zoneID": {"zoneName": "Z"}}}
        cloud.post("zones/modify", {"operations": [create]})
        before = client.database_changes()
        assert [zone.zoneID.zoneName for zone in before.zones] == ["Z"]
        assert {zone.zoneID.zoneName for zone in client.zones_list().zones} == {
            "Z", "_defaultZone"}
        cloud.modify(
            *[("create", f"n{i}", {"text": "x"}) for i in range(7)], zoneID={"zoneName": "Z"})
        request = models.CKZoneChangesZoneReq(zoneID=models.CKZoneID(zoneName="Z"))
        pages = list(client.iter_changes(zone_req=request, results_limit=3))
        names = [record.recordName for page in pages for record in page.records]
        assert sorted(names) == [f"n{i}" for i in range(7)] and len(pages) == 3
        cloud.modify(
            {"operationType": "forceDelete", "record": {"recordName": "n3"}},
            zoneID={"zoneName": "Z"})
        request.syncToken = pages[-1].syncToken
        rest = client.changes(zone_req=request)
        assert [(r.recordName, r.deleted) for r in rest.zones[0].records] == [("n3", True)]
        after = client.database_changes(sync_token=before.syncToken)
        assert [zone.zoneID.zoneName for zone in after.zones] == ["Z"]

    def test_assets(self, pyicloud):
        from pyicloud.common.cloudkit import models

        cloud, client = pyicloud
        client = client()
        zone = models.CKZoneIDReq(zoneName="_defaultZone")
        contents = bytes(range(256)) * 5000
        token = client.upload_asset(
            record_type="Photo", field_name="image", record_name="p", data=contents, zone_id=zone)
        assert token.size == len(contents)
        value = token.model_dump(mode="json", exclude_none=True)
        made = client.modify(
            operations=[
                models.CKModifyOperation(
                    operationType="create",
                    record=models.CKWriteRecord(
                        recordName="p", recordType="Photo",
                        fields={"image": {"type": "ASSETID", "value": value}}))
            ], zone_id=zone)
        url = made.records[0].fields["image"].value.downloadURL
        assert client.download_asset_bytes(url) == contents
        assert b"".join(client.download_asset_stream(url.replace("${f}", "p.png"))) == contents

    def test_strict(self, pyicloud):
        """Answers have no key that the client's models do not know."""
        from pyicloud.common.cloudkit import models

        cloud, client = pyicloud
        client = client(validation_extra="forbid")
        zone = models.CKZoneIDReq(zoneName="_defaultZone")
        cloud.modify(("create", "a", {"text": "x", "number": 1, "real": 1.5}))
        found = client.query(
            query=models.CKQueryObject(recordType="Note"), zone_id=zone)
        assert len(found.records) == 1
        assert len(client.lookup(["a", "b"], zone_id=zone).records) == 2


class TestSigner:
    """Server-to-server requests (W0.4, W2.2)."""

    def test_signed_requests(self, cloud, tmp_path):
        signer = Signer(cloud, tmp_path)
        made = signer.send(
            "records/modify",
            {
                "operations": [
                    {
                        "operationType": "create",
                        "record": {
                            "recordName": "r", "recordType": "Note",
                            "fields": {"text": {"value": "x"}},
                        },
                    }
                ]
            })
        assert made.json()["records"][0]["recordName"] == "r", made.text
        user = made.json()["records"][0]["created"]["userRecordName"]
        caller = signer.send("users/caller")
        assert caller.status_code == 200 and caller.json()["userRecordName"] == user
        listed = json.loads(cloud.cli("key", "list", "-f", "json"))
        assert listed[0]["userRecordName"] == user and listed[0]["keyID"] == signer.id

    def test_query_is_signed(self, cloud, tmp_path):
        """The signature covers the target with its query, as CloudKit JS signs it."""
        signer = Signer(cloud, tmp_path)
        query = "?ckjsVersion=2.6.1&x=%2F"
        assert signer.send("users/caller", query=query).status_code == 200
        path = cloud.path("users/caller", "public")
        assert error(signer.send("users/caller", query=query, signed=path))[:2] == (
            401, "AUTHENTICATION_FAILED")

    @pytest.mark.parametrize("minutes", [-11, 11])
    def test_expired(self, cloud, tmp_path, minutes):
        signer = Signer(cloud, tmp_path)
        now = datetime.datetime.now(datetime.timezone.utc)
        date = now + datetime.timedelta(minutes=minutes)
        assert error(signer.send("users/caller", date=date))[:2] == (401, "AUTHENTICATION_FAILED")

    def test_other_environment(self, cloud, tmp_path):
        signer = Signer(cloud, tmp_path)
        answer = signer.send("users/caller", environment="production")
        assert error(answer)[:2] == (401, "AUTHENTICATION_FAILED")

    def test_public_only(self, cloud, tmp_path):
        signer = Signer(cloud, tmp_path)
        answer = signer.send("records/lookup", {"records": []}, database="private")
        assert error(answer) == (
            403, "ACCESS_DENIED", "private db access disabled for this account")

    def test_both(self, cloud, tmp_path):
        signer = Signer(cloud, tmp_path)
        answer = signer.send("users/caller", query=f"?ckAPIToken={cloud.token}")
        assert error(answer)[:2] == (401, "AUTHENTICATION_FAILED")

    def test_changed_body(self, cloud, tmp_path):
        signer = Signer(cloud, tmp_path)
        target = cloud.path("records/lookup", "public")
        headers = signer.headers(target, b'{"records":[]}')
        answer = cloud.session.post(cloud.url + target, data=b'{"records":[ ]}', headers=headers)
        assert error(answer)[:2] == (401, "AUTHENTICATION_FAILED")

    def test_openssl_keys(self, cloud, tmp_path):
        """Keys as openssl writes them: with parameters, as PKCS#8, as a public key."""
        import subprocess

        sec1 = tmp_path / "sec1.pem"
        subprocess.run(
            ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-out", sec1], check=True)
        public, pkcs8 = tmp_path / "public.pem", tmp_path / "pkcs8.pem"
        subprocess.run(["openssl", "ec", "-in", sec1, "-pubout", "-out", public], check=True,
                       capture_output=True)
        subprocess.run(
            ["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", sec1, "-out", pkcs8], check=True)
        first = cloud.cli("key", "add", str(sec1)).strip()
        assert cloud.cli("key", "add", str(pkcs8), "-e", "production").strip() != first
        cloud.cli("key", "delete", first)
        assert cloud.cli("key", "add", str(public)).strip() == first
        other = tmp_path / "other.pem"
        other.write_text("no key")
        cloud.cli("key", "add", str(other), code=65)
