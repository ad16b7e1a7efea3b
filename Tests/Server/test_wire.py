"""Web Services as the reference has them (W0 to W10, and rules of R and C)."""

import base64
import http.client
import json
import os
import socket
import threading
import time
import urllib.parse

import pytest

from conftest import error

ZONE = {"zoneName": "Lists"}


@pytest.fixture
def zoned(cloud):
    cloud.post(
        "zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    return cloud


def operation(kind, name, fields=None, **record):
    return {
        "operationType": kind,
        "record": {
            "recordName": name, "recordType": "Note",
            "fields": {k: {"value": v} for k, v in (fields or {}).items()}, **record,
        },
    }


def names(records):
    return [record["recordName"] for record in records]


class TestFacts:
    """W0.1 to W0.10."""

    def test_item_failures(self, cloud):
        cloud.modify(("create", "a", {"text": "x"}))
        found = cloud.modify(("create", "a", {"text": "y"}), ("create", "b", {"text": "z"}))
        assert found[0] == {
            "recordName": "a", "reason": "record to insert already exists",
            "serverErrorCode": "CONFLICT"}
        assert found[1]["fields"]["text"] == {"value": "z", "type": "STRING"}

    def test_stale_tag(self, cloud):
        (made,) = cloud.modify(("create", "a", {"text": "x"}))
        tag = made["recordChangeTag"]
        cloud.modify(operation("update", "a", {"text": "y"}, recordChangeTag=tag))
        (late,) = cloud.modify(operation("update", "a", {"text": "z"}, recordChangeTag=tag))
        assert (late["serverErrorCode"], late["reason"]) == (
            "CONFLICT", "client oplock error updating record")

    @pytest.mark.parametrize("kind", ["delete", "forceDelete"])
    def test_delete_of_none(self, cloud, kind):
        assert cloud.modify(operation(kind, "none")) == [{"recordName": "none", "deleted": True}]

    def test_tokens_moved(self, cloud):
        answer = cloud.send("tokens/create", {"apnsEnvironment": "development"}, database="public")
        assert answer.status_code == 405 and answer.headers["Allow"] == "OPTIONS"

    def test_meta_sync_token(self, zoned):
        old = zoned.post("zones/changes", {})
        new = zoned.post("changes/database", {})
        assert "metaSyncToken" in old and "syncToken" not in old
        assert old["metaSyncToken"] == new["syncToken"]
        assert zoned.post("zones/changes", {"metaSyncToken": old["metaSyncToken"]})["zones"] == []

    def test_zone_ids(self, zoned):
        zones = zoned.post("zones/list", {})["zones"]
        kinds = {zone["zoneID"]["zoneName"]: zone["zoneID"] for zone in zones}
        assert kinds["Lists"]["zoneType"] == "REGULAR_CUSTOM_ZONE"
        assert kinds["_defaultZone"]["zoneType"] == "DEFAULT_ZONE"
        caller = zoned.send("users/caller", database="public").json()
        assert kinds["Lists"]["ownerRecordName"] == caller["userRecordName"]
        # A client sends the wrong key; it is ignored.
        looked = zoned.post("zones/lookup", {"zones": [{"zoneName": "Lists", "ownerName": "x"}]})
        assert looked["zones"][0]["zoneID"]["zoneName"] == "Lists"

    def test_tokens_are_base64(self, zoned):
        zoned.modify(*[("create", f"r{i}", {"text": "x"}) for i in range(3)], zoneID=ZONE)
        texts = [
            zoned.post("changes/database", {})["syncToken"],
            zoned.post("changes/zone", {"zones": [{"zoneID": ZONE}]})["zones"][0]["syncToken"],
            zoned.post(
                "records/query",
                {"query": {"recordType": "Note"}, "zoneID": ZONE, "resultsLimit": 1},
            )["continuationMarker"],
        ]
        for text in texts:
            assert base64.b64decode(text, validate=True)

    def test_rotation(self, cloud):
        """W0.9, W10.1: each answer has a new token; the old one stays valid."""
        token = cloud.web_token("me")
        for _ in range(3):
            answer = cloud.send(
                "users/caller", database="public", user=None, ckWebAuthToken=token)
            renewed = answer.headers["X-Apple-CloudKit-Web-Auth-Token"]
            assert answer.status_code == 200 and renewed != token
            again = cloud.send("users/caller", database="public", user=None, ckWebAuthToken=token)
            assert again.status_code == 200
            token = renewed

    def test_timestamps(self, cloud):
        """W0.10."""
        cloud.cli("schema", "add", "Note", "at:TIMESTAMP")
        (made,) = cloud.modify(("create", "a", {"at": 1500000000000, "other": 1500000000000}))
        assert made["fields"]["at"] == {"value": 1500000000000, "type": "TIMESTAMP"}
        assert made["fields"]["other"]["type"] == "INT64"
        (refused,) = cloud.modify(("create", "b", {"at": 1.5}))
        assert refused["serverErrorCode"] == "BAD_REQUEST"


class TestAddresses:
    """W1."""

    def test_unknown_paths(self, cloud):
        assert error(cloud.send("records/nothing", {})) == (
            404, "NOT_FOUND", "could not find handler for endpoint 'POST records/nothing'")
        assert error(cloud.send("records/query", method="GET"))[:2] == (404, "NOT_FOUND")

    def test_databases(self, cloud):
        assert error(cloud.send("records/resolve", {"shortGUIDs": []})) == (
            400, "BAD_REQUEST", "endpoint not applicable in the database type 'privatedb'")
        assert cloud.send("users/caller", database="private").status_code == 200

    def test_tolerated_parameters(self, cloud):
        answer = cloud.send(
            "users/caller", database="public", ckjsBuildVersion="1", ckjsVersion="2.6.1",
            clientId="c", dsid="1", clientBuildNumber="1", clientMasteringNumber="1",
            remapEnums="True", getCurrentSyncToken="True")
        assert answer.status_code == 200

    @pytest.mark.parametrize("name", ["ckSession", "ckWebAuthToken"])
    def test_null_session(self, cloud, name):
        answer = cloud.send("users/caller", database="public", user=None, **{name: "null"})
        assert error(answer)[:2] == (421, "AUTHENTICATION_REQUIRED")
        token = cloud.web_token("me")
        answer = cloud.send("users/caller", database="public", user=None, **{name: token})
        assert answer.status_code == 200

    @pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/x-any"])
    def test_content_types(self, cloud, kind):
        answer = cloud.send("records/lookup", {"records": []}, headers={"Content-Type": kind})
        assert answer.json() == {"records": []}
        assert answer.headers["Content-Type"] == "application/json; charset=UTF-8"
        assert answer.headers["X-Apple-Request-UUID"]


class TestQuery:
    """W3.1, W4.5, W4.6, W8, C169."""

    @pytest.fixture
    def notes(self, zoned):
        zoned.modify(
            *[("create", f"n{i}", {"number": i, "text": f"t{i % 3}"}) for i in range(9)])
        zoned.modify(("create", "z", {"number": 100}), zoneID=ZONE)
        return zoned

    def query(self, cloud, filters=(), sort=(), **others):
        return cloud.post(
            "records/query",
            {
                "query": {"recordType": "Note", "filterBy": list(filters), "sortBy": list(sort)},
                **others,
            })

    def test_zones(self, notes):
        """C169: the default zone, unless a zone is named or zoneWide is true."""
        assert len(self.query(notes)["records"]) == 9
        assert len(self.query(notes, zoneWide=True)["records"]) == 10
        assert names(self.query(notes, zoneID=ZONE)["records"]) == ["z"]
        assert names(self.query(notes, zoneID=ZONE, zoneWide=True)["records"]) == ["z"]

    def test_pages(self, notes):
        """W8.4: the next page sends the whole query again."""
        sort = [{"fieldName": "number", "ascending": False}]
        seen, marker = [], None
        while True:
            others = {"continuationMarker": marker} if marker else {}
            page = self.query(notes, sort=sort, resultsLimit=4, **others)
            seen += names(page["records"])
            marker = page.get("continuationMarker")
            if not marker:
                break
        assert seen == [f"n{i}" for i in reversed(range(9))]
        assert error(notes.send("records/query", {"continuationMarker": "??"}))[0] == 400

    def test_filters(self, notes):
        def found(comparator, value, **others):
            filters = [{"comparator": comparator, "fieldName": "number",
                        "fieldValue": {"value": value}, **others}]
            sort = [{"fieldName": "number"}]
            return [r["fields"]["number"]["value"]
                    for r in self.query(notes, filters, sort)["records"]]

        assert found("EQUALS", 3) == [3]
        assert found("GREATER_THAN_OR_EQUALS", 7) == [7, 8]
        assert found("IN", [1, 5, 50]) == [1, 5]
        assert found("NOT_IN", list(range(8))) == [8]

    def test_system_fields(self, notes):
        reference = {"value": {"recordName": "n4"}, "type": "REFERENCE"}
        for key in ({"fieldName": "___recordID"}, {"systemFieldName": "recordName"}):
            filters = [{"comparator": "EQUALS", "fieldValue": reference, **key}]
            assert names(self.query(notes, filters)["records"]) == ["n4"]
        sort = [{"systemFieldName": "createdTimestamp", "ascending": False}]
        assert len(self.query(notes, sort=sort)["records"]) == 9

    def test_keys_and_numbers(self, notes):
        page = self.query(
            notes, sort=[{"fieldName": "number"}], desiredKeys=["number"], numbersAsStrings=True,
            resultsLimit=1)
        assert page["records"][0]["fields"] == {"number": {"value": "0", "type": "INT64"}}

    def test_limit_is_clipped(self, notes):
        """W8.1."""
        for part in range(2):
            notes.modify(*[("create", f"m{part}-{i}", {"number": i}) for i in range(150)])
        page = self.query(notes, resultsLimit=1000)
        assert len(page["records"]) == 200 and page["continuationMarker"]

    def test_faults(self, notes):
        body = {"query": {"recordType": "Note", "filterBy": [
            {"comparator": "LIKE", "fieldName": "text", "fieldValue": {"value": "a"}}]}}
        assert error(notes.send("records/query", body)) == (
            400, "BAD_REQUEST",
            "BadRequestException: query.filterBy: unknown comparator 'LIKE'")
        assert error(notes.send("records/query", {}))[1] == "BAD_REQUEST"
        assert error(notes.send("records/query", {"query": {"recordType": "None"}}))[:2] == (
            404, "NOT_FOUND")

    def test_indexes(self, make_cloud):
        """W5.1: a strict server demands the index on the names of records."""
        cloud = make_cloud("--strict", "--log", "none")
        cloud.modify(("create", "a", {"text": "x"}))
        assert error(cloud.send("records/query", {"query": {"recordType": "Note"}})) == (
            400, "BAD_REQUEST", "Field 'recordName' is not marked queryable")


class TestModify:
    """W3.2, W3.9, R4.2, R4.4."""

    def test_order(self, cloud):
        found = cloud.modify(*[("create", n, {"text": n}) for n in "cab"])
        assert names(found) == ["c", "a", "b"]

    def test_without_tag(self, cloud):
        """C093."""
        cloud.modify(("create", "a", {"text": "x"}))
        (refused,) = cloud.modify(operation("update", "a", {"text": "y"}))
        assert refused["serverErrorCode"] == "BAD_REQUEST"

    def test_force_update(self, cloud):
        """C094."""
        (made,) = cloud.modify(operation("forceUpdate", "new", {"text": "x"}))
        assert made["fields"]["text"]["value"] == "x"
        again = operation("forceUpdate", "new", {"more": 1})
        assert set(cloud.modify(again)[0]["fields"]) == {"text", "more"}
        replaced = operation("forceReplace", "new", {"more": 2})
        assert set(cloud.modify(replaced)[0]["fields"]) == {"more"}

    def test_atomic(self, zoned):
        """C105, R4.4.6: atomic in a custom zone; refused in the default zone."""
        body = {"operations": [operation("create", "a", {"text": "x"})], "atomic": True}
        assert error(zoned.send("records/modify", body)) == (
            400, "BAD_REQUEST", "atomic operations not supported in default zone")
        assert zoned.post("records/modify", {**body, "atomic": False})["records"]
        zoned.modify(("create", "there", {"text": "x"}), zoneID=ZONE)
        found = zoned.modify(
            ("create", "there", {"text": "x"}), ("create", "other", {"text": "x"}),
            zoneID=ZONE, atomic=True)
        assert [item["serverErrorCode"] for item in found] == ["CONFLICT", "ATOMIC_ERROR"]
        assert zoned.post("records/lookup", {
            "records": [{"recordName": "other"}], "zoneID": ZONE})["records"][0][
                "serverErrorCode"] == "NOT_FOUND"

    def test_too_many(self, cloud):
        """C107."""
        operations = [operation("create", f"r{i}") for i in range(201)]
        assert error(cloud.send("records/modify", {"operations": operations}))[:2] == (
            400, "BAD_REQUEST")
        assert len(cloud.modify(*operations[:200])) == 200

    def test_clearing(self, cloud):
        """W3.9, W10.7."""
        (made,) = cloud.modify(("create", "a", {"text": "x", "list": ["a"]}))
        tag = made["recordChangeTag"]
        (changed,) = cloud.modify(
            operation("update", "a", {"text": None, "list": []}, recordChangeTag=tag))
        assert changed["fields"] == {"list": {"value": [], "type": "STRING_LIST"}}

    def test_every_type(self, cloud):
        fields = {
            "s": {"value": "ä\u0001\"", "type": "STRING"},
            "i": {"value": 9007199254740993, "type": "INT64"},
            "d": {"value": 1.5, "type": "DOUBLE"},
            "t": {"value": 1500, "type": "TIMESTAMP"},
            "b": {"value": "AAEC", "type": "BYTES"},
            "l": {"value": {"latitude": 51.5, "longitude": -0.5, "altitude": 7.5},
                  "type": "LOCATION"},
            "sl": {"value": ["a", "b"], "type": "STRING_LIST"},
            "il": {"value": [1, 2], "type": "INT64_LIST"},
            "tl": {"value": [1, 2], "type": "TIMESTAMP_LIST"},
        }
        record = {"recordName": "r", "recordType": "All", "fields": fields}
        (made,) = cloud.modify({"operationType": "create", "record": record})
        assert made["fields"] == fields
        assert set(made) >= {"pluginFields", "recordChangeTag", "created", "modified", "zoneID"}
        assert set(made["created"]) == {"timestamp", "userRecordName", "deviceID"}
        assert made["deleted"] is False and made["pluginFields"] == {}

    def test_references(self, cloud):
        """W4.3, R5.1."""
        cloud.modify(("create", "a", {"text": "x"}))

        def refer(name, target, action):
            return {
                "operationType": "create",
                "record": {"recordName": name, "recordType": "Ref", "fields": {"to": {
                    "type": "REFERENCE", "value": {"recordName": target, "action": action}}}}}

        (made,) = cloud.modify(refer("r", "a", "VALIDATE"))
        value = made["fields"]["to"]["value"]
        assert (value["recordName"], value["action"]) == ("a", "VALIDATE")
        assert value["zoneID"]["zoneName"] == "_defaultZone"
        (refused,) = cloud.modify(operation("forceDelete", "a"))
        assert refused["serverErrorCode"] == "VALIDATING_REFERENCE_ERROR"
        (refused,) = cloud.modify(refer("s", "none", "VALIDATE"))
        assert refused["serverErrorCode"] == "VALIDATING_REFERENCE_ERROR"

    def test_encryption(self, cloud):
        """C255, W10.8."""
        def secret(name, **field):
            return {"operationType": "create", "record": {
                "recordName": name, "recordType": "Secret", "fields": {"secret": field}}}

        (made,) = cloud.modify(
            secret("a", value="x", type="STRING", isEncrypted=True))
        assert made["fields"]["secret"] == {"value": "x", "type": "STRING", "isEncrypted": True}
        looked = cloud.post("records/lookup", {"records": [{"recordName": "a"}]})["records"]
        assert looked == [made]
        (refused,) = cloud.modify(secret("b", value="x", isEncrypted=True))
        assert refused["serverErrorCode"] == "BAD_REQUEST"
        filters = [{"comparator": "EQUALS", "fieldName": "secret", "fieldValue": {"value": "x"}}]
        body = {"query": {"recordType": "Secret", "filterBy": filters}}
        assert error(cloud.send("records/query", body))[0] == 400

    def test_bad_items(self, cloud):
        """W0.1: what one record has wrong fails it alone."""
        found = cloud.modify(
            {"operationType": "create", "record": {
                "recordName": "a", "recordType": "Note",
                "fields": {"text": {"value": "x", "type": "LIST"}}}},
            ("create", "b", {"text": "x"}))
        assert found[0]["recordName"] == "a" and found[0]["serverErrorCode"] == "BAD_REQUEST"
        assert found[1]["recordName"] == "b" and "serverErrorCode" not in found[1]

    @pytest.mark.parametrize("body, reason", [
        ('{"operations":[', "the body is not JSON"),
        ("[]", "the body must be an object, not a list"),
        ("{}", "operations is missing"),
        ('{"operations":{}}', "operations must be a list, not an object"),
        ('{"operations":[1]}', "operations[0] must be an object, not an integer"),
    ])
    def test_bad_bodies(self, cloud, body, reason):
        url = f"{cloud.url}{cloud.path('records/modify')}?{cloud.query()}"
        status, code, words = error(cloud.session.post(url, data=body))
        assert (status, code) == (400, "BAD_REQUEST")
        assert words.startswith(f"BadRequestException: {reason}")

    def test_sync_token(self, zoned):
        body = {"operations": [operation("create", "a")], "zoneID": ZONE}
        made = zoned.post("records/modify", body)
        feed = zoned.post(
            "changes/zone", {"zones": [{"zoneID": ZONE, "syncToken": made["syncToken"]}]})
        assert feed["zones"][0]["records"] == []


class TestLookup:
    """W3.3, W8.2."""

    def test_order_and_keys(self, cloud):
        cloud.modify(*[("create", n, {"text": n, "more": 1}) for n in "abc"])
        body = {"records": [
            {"recordName": "c"}, {"recordName": "none"},
            {"recordName": "a", "desiredKeys": ["more"]}, {"recordName": "b", "desiredKeys": []}]}
        records = cloud.post("records/lookup", body)["records"]
        assert names(records) == ["c", "none", "a", "b"]
        assert records[1] == {
            "recordName": "none", "reason": "Record not found", "serverErrorCode": "NOT_FOUND"}
        assert set(records[2]["fields"]) == {"more"} and records[3]["fields"] == {}

    def test_missing_zone(self, cloud):
        body = {"records": [{"recordName": "a"}], "zoneID": {"zoneName": "None"}}
        assert error(cloud.send("records/lookup", body))[:2] == (404, "ZONE_NOT_FOUND")


class TestChanges:
    """W3.4, W8.5, W10.2 to W10.4, W10.15."""

    def feed(self, cloud, **zone):
        return cloud.post("changes/zone", {"zones": [{"zoneID": ZONE, **zone}]})["zones"][0]

    def test_pages(self, zoned):
        for part in range(2):
            zoned.modify(
                *[("create", f"r{part}-{i}", {"text": "x"}) for i in range(150)], zoneID=ZONE)
        first = self.feed(zoned, resultsLimit=1000)
        assert len(first["records"]) == 200 and first["moreComing"] is True
        second = self.feed(zoned, syncToken=first["syncToken"])
        assert len(second["records"]) == 100 and second["moreComing"] is False
        end = self.feed(zoned, syncToken=second["syncToken"])
        assert end["records"] == [] and end["syncToken"] == second["syncToken"]
        assert self.feed(zoned, syncToken=first["syncToken"])["records"] == second["records"]
        assert self.feed(zoned, syncToken="")["records"] == []

    def test_tombstones(self, zoned):
        zoned.modify(("create", "a", {"text": "x"}), zoneID=ZONE)
        token = self.feed(zoned)["syncToken"]
        zoned.modify(operation("forceDelete", "a"), zoneID=ZONE)
        (tombstone,) = self.feed(zoned, syncToken=token)["records"]
        assert tombstone["recordName"] == "a" and tombstone["deleted"] is True
        assert tombstone["recordType"] is None
        assert tombstone["zoneID"]["zoneName"] == "Lists"

    def test_zone_errors(self, zoned):
        body = {"zones": [
            {"zoneID": ZONE, "syncToken": base64.b64encode(b"garbage").decode()},
            {"zoneID": ZONE, "syncToken": "x"}, {"zoneID": {"zoneName": "None"}},
            {"zoneID": {"zoneName": "_defaultZone"}}, {"zoneID": ZONE}]}
        zones = zoned.post("changes/zone", body)["zones"]
        assert [(z.get("serverErrorCode"), z.get("reason")) for z in zones[:2]] == [
            ("BAD_REQUEST", "Unknown sync continuation type"),
            ("BAD_REQUEST", "Invalid continuation format")]
        assert zones[2]["serverErrorCode"] == "ZONE_NOT_FOUND"
        assert zones[2]["zoneID"]["zoneName"] == "None"
        assert zones[3]["serverErrorCode"] == "BAD_REQUEST"
        assert zones[4]["records"] == []

    def test_former_forms(self, zoned):
        zoned.modify(("create", "a", {"text": "x"}), zoneID=ZONE)
        new = self.feed(zoned)
        old = zoned.post("records/changes", {"zoneID": ZONE})
        assert old["records"] == new["records"] and old["syncToken"] == new["syncToken"]
        assert old["moreComing"] is False

    def test_types(self, zoned):
        zoned.modify(
            ("create", "a", {"text": "x"}),
            {"operationType": "create", "record": {"recordName": "b", "recordType": "Other"}},
            zoneID=ZONE)
        assert names(self.feed(zoned, desiredRecordTypes=["Other"])["records"]) == ["b"]

    def test_database(self, zoned):
        first = zoned.post("changes/database", {})
        assert [z["zoneID"]["zoneName"] for z in first["zones"]] == ["Lists"]
        assert first["zones"][0]["syncToken"] == self.feed(zoned)["syncToken"]
        zoned.modify(("create", "default", {"text": "x"}))
        assert zoned.post("changes/database", {"syncToken": first["syncToken"]})["zones"] == []
        zoned.post("zones/modify", {
            "operations": [{"operationType": "delete", "zone": {"zoneID": ZONE}}]})
        rest = zoned.post("changes/database", {"syncToken": first["syncToken"]})
        assert rest["zones"][0]["deleted"] is True and rest["moreComing"] is False

    def test_current_token(self, zoned):
        zoned.modify(("create", "a", {"text": "x"}), zoneID=ZONE)
        answer = zoned.send(
            "records/lookup", {"records": [], "zoneID": ZONE}, getCurrentSyncToken="true").json()
        assert answer["syncToken"] == self.feed(zoned)["syncToken"]


class TestZones:
    """W3.5, W10.14."""

    def test_modify(self, cloud):
        body = {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": "A"}}},
            {"operationType": "create", "zone": {"zoneID": {"zoneName": "_bad"}}},
            {"operationType": "delete", "zone": {"zoneID": {"zoneName": "None"}}},
            {"operationType": "delete", "zone": {"zoneID": {"zoneName": "A"}}}]}
        answer = cloud.send("zones/modify", body)
        assert error(answer)[0] == 400  # a name that no zone can have spoils the request
        del body["operations"][1]
        zones = cloud.post("zones/modify", body)["zones"]
        assert zones[0]["zoneID"]["zoneName"] == "A" and zones[0]["atomic"] is True
        assert zones[1]["serverErrorCode"] == "ZONE_NOT_FOUND"
        assert zones[2]["deleted"] is True

    def test_methods(self, cloud):
        assert cloud.send("zones/list").json() == cloud.send("zones/list", {}).json()


class TestUsers:
    """W3.6, W10.5."""

    def test_discovery(self, cloud):
        cloud.cli("account", "create", "ann", "--email", "ann@example.org", "--given", "Ann")
        cloud.cli("user", "contact", "add", "ann@example.org")
        cloud.cli("user", "permission", "grant", "-u", "ann")
        found = cloud.post(
            "users/discover", {"lookupInfos": [{"emailAddress": "ann@example.org"}]},
            database="public")["users"]
        assert found[0]["nameComponents"]["givenName"] == "Ann"
        assert found[0]["lookupInfo"] == {"emailAddress": "ann@example.org"}
        everyone = cloud.send("users/discover", database="public").json()["users"]
        assert everyone[0]["userRecordName"] == found[0]["userRecordName"]
        old = cloud.post(
            "users/lookup/email", {"users": [{"emailAddress": "ann@example.org"}]},
            database="public")["users"]
        assert old == [{
            "userRecordName": found[0]["userRecordName"], "firstName": "Ann",
            "emailAddress": "ann@example.org"}]
        assert error(cloud.send("users/discover", {}, database="public"))[:2] == (
            400, "BAD_REQUEST")
        assert error(cloud.send("users/discover", {}))[2] == (
            "endpoint not applicable in the database type 'privatedb'")


class TestSubscriptions:
    """W3.5, W4.7, W10.6."""

    def test_life(self, cloud):
        cloud.modify(("create", "a", {"text": "x"}))
        subscription = {
            "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create", "update"],
            "query": {"recordType": "Note", "filterBy": [
                {"comparator": "EQUALS", "fieldName": "text",
                 "fieldValue": {"value": "x", "type": "STRING"}}]},
            "notificationInfo": {"alertBody": "new", "shouldBadge": True}, "unknown": 1}

        def modify(kind, value):
            return cloud.post("subscriptions/modify", {
                "operations": [{"operationType": kind, "subscription": value}]})["subscriptions"][0]

        made = modify("create", subscription)
        assert made["query"]["filterBy"] == subscription["query"]["filterBy"]
        assert cloud.send("subscriptions/list").json()["subscriptions"] == [made]
        duplicate = modify("create", {**subscription, "subscriptionID": "t"})
        assert (duplicate["serverErrorCode"], duplicate["reason"]) == (
            "INTERNAL_ERROR", "could not find subscription we just created")
        looked = cloud.post(
            "subscriptions/lookup",
            {"subscriptions": [{"subscriptionID": "s"}, {"subscriptionID": "none"}]})
        assert looked["subscriptions"][0] == made
        assert looked["subscriptions"][1]["serverErrorCode"] == "NOT_FOUND"
        assert looked["subscriptions"][1]["subscriptionID"] == "none"
        assert modify("delete", {"subscriptionID": "s"}) == {
            "subscriptionID": "s", "deleted": True}
        assert modify("delete", {"subscriptionID": "s"})["serverErrorCode"] == "NOT_FOUND"


class TestAssets:
    """W3.8, W4.4, W7, W10.13."""

    def upload(self, cloud, contents, **others):
        tokens = cloud.post(
            "assets/upload",
            {"tokens": [{"recordType": "Photo", "fieldName": "image", "recordName": "p"}], **others},
        )["tokens"]
        assert (tokens[0]["recordName"], tokens[0]["fieldName"]) == ("p", "image")
        return cloud.session.post(tokens[0]["url"], data=contents).json()["singleFile"]

    def save(self, cloud, name, value, **others):
        record = {"recordName": name, "recordType": "Photo", "fields": {"image": {"value": value}}}
        return cloud.modify({"operationType": "create", "record": record}, **others)[0]

    def test_life(self, cloud):
        contents = b"\0\1\2" * 100000
        single = self.upload(cloud, contents)
        assert single["size"] == len(contents) and single["receipt"]
        made = self.save(cloud, "p", single)
        url = made["fields"]["image"]["value"]["downloadURL"]
        assert url.endswith("/${f}")
        answer = cloud.session.get(url.replace("${f}", "photo.png"))
        assert answer.content == contents
        assert answer.headers["Content-Type"] == "image/png"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="photo.png"'
        assert "sandbox" in answer.headers["Content-Security-Policy"]

    def test_ranges(self, cloud):
        contents = bytes(range(250))
        made = self.save(cloud, "p", self.upload(cloud, contents))
        url = made["fields"]["image"]["value"]["downloadURL"]

        def get(text, **others):
            return cloud.session.get(url, headers={"Range": text, **others})

        for text, part in [
                ("bytes=0-9", contents[:10]), ("bytes=240-", contents[240:]),
                ("bytes=-5", contents[-5:]), ("bytes=100-9999", contents[100:])]:
            answer = get(text)
            assert answer.status_code == 206 and answer.content == part, text
        assert get("bytes=250-").status_code == 416
        assert get("bytes=5-2").status_code == 200
        tag = cloud.session.get(url).headers["ETag"]
        assert get("bytes=0-0", **{"If-Range": tag}).status_code == 206
        assert get("bytes=0-0", **{"If-Range": '"x"'}).content == contents
        assert cloud.session.get(url, headers={"If-None-Match": tag}).status_code == 304
        head = cloud.session.head(url)
        assert head.headers["Content-Length"] == "250" and head.content == b""

    def test_empty(self, cloud):
        made = self.save(cloud, "p", self.upload(cloud, b""))
        answer = cloud.session.get(made["fields"]["image"]["value"]["downloadURL"])
        assert (answer.status_code, answer.content) == (200, b"")

    def download(self, cloud, contents, count=1):
        """A connection that asked for contents, some times at once."""
        made = self.save(cloud, "p", self.upload(cloud, contents))
        url = urllib.parse.urlsplit(made["fields"]["image"]["value"]["downloadURL"])
        connection = socket.create_connection((url.hostname, url.port), timeout=30)
        connection.sendall(f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode() * count)
        return connection

    def test_pipelined(self, cloud):
        """Contents come between the heads they belong to."""
        contents = os.urandom(3 << 20)
        stream = self.download(cloud, contents, count=3).makefile("rb")
        for _ in range(3):
            head = http.client.parse_headers(stream) if stream.readline() else {}
            assert stream.read(int(head["Content-Length"])) == contents

    def test_truncated_meanwhile(self, cloud):
        """If another program truncates the file, the connection ends early."""
        connection = self.download(cloud, os.urandom(64 << 20))
        connection.recv(1)
        (file,) = [path for path in cloud.store.rglob("assets/*/*/*") if path.is_file()]
        os.truncate(file, 1 << 20)
        received = 1
        while piece := connection.recv(1 << 20):
            received += len(piece)
        assert received < 64 << 20

    def test_receipts(self, cloud):
        """A receipt works for several records, in its zone, and after a failed save."""
        single = self.upload(cloud, b"x")
        assert "serverErrorCode" not in self.save(cloud, "p", single)
        assert self.save(cloud, "p", single)["serverErrorCode"] == "CONFLICT"
        assert "serverErrorCode" not in self.save(cloud, "q", single)
        cloud.post("zones/modify", {
            "operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        assert self.save(cloud, "r", single, zoneID=ZONE)["serverErrorCode"] == "BAD_REQUEST"
        forged = {**single, "receipt": "AAAA"}
        assert self.save(cloud, "s", forged)["serverErrorCode"] == "BAD_REQUEST"

    def test_hash_alone(self, cloud):
        """A checksum does not give access to what another user has."""
        single = self.upload(cloud, b"secret")
        self.save(cloud, "p", single)
        value = {key: single[key] for key in ("fileChecksum", "size")}
        assert "serverErrorCode" not in self.save(cloud, "mine", value)
        assert self.save(cloud, "p", value, user="bob")["serverErrorCode"] == "BAD_REQUEST"

    def test_rereference(self, cloud):
        self.save(cloud, "p", self.upload(cloud, b"x"))
        body = {"assets": [{"recordName": "p", "fieldName": "image"}]}
        (asset,) = cloud.post("assets/rereference", body)["assets"]
        assert "serverErrorCode" not in self.save(cloud, "q", asset)

    def test_order(self, cloud):
        tokens = [{"fieldName": f"f{i}", "recordName": f"r{i}"} for i in range(5)]
        answer = cloud.post("assets/upload", {"tokens": tokens})["tokens"]
        assert [t["fieldName"] for t in answer] == [f"f{i}" for i in range(5)]
        assert len({t["url"] for t in answer}) == 5

    def test_other_urls(self, cloud):
        assert cloud.session.get(cloud.url + "/assets/AAAA/x").status_code == 404
        assert cloud.session.post(cloud.url + "/assets/upload/AAAA", data=b"x").status_code == 404


class TestSharing:
    """W3.7, W4.8, R10.3.16."""

    def test_share(self, zoned):
        (root,) = zoned.modify(("create", "root", {"text": "x"}), zoneID=ZONE)
        caller = zoned.send("users/caller", database="public", user="ann").json()
        share = {
            "operationType": "create",
            "record": {
                "recordType": "cloudkit.share", "recordName": "Share-1",
                "fields": {"cloudkit.title": {"value": "List"}}, "publicPermission": "NONE",
                "participants": [{
                    "userIdentity": {"userRecordName": caller["userRecordName"]},
                    "permission": "READ_WRITE"}],
                "forRecord": {
                    "recordName": "root", "recordChangeTag": root["recordChangeTag"]},
            },
        }
        (made,) = zoned.modify(share, zoneID=ZONE)
        assert made["publicPermission"] == "NONE" and made["owner"]["type"] == "OWNER", made
        kinds = {p["type"]: p for p in made["participants"]}
        assert kinds["USER"]["acceptanceStatus"] == "INVITED"
        guid = made["shortGUID"]
        body = {"shortGUIDs": [{"value": guid, "shouldFetchRootRecord": True}]}
        (found,) = zoned.post("records/resolve", body, database="public", user="ann")["results"]
        assert found["rootRecordName"] == "root" and found["participantStatus"] == "INVITED"
        assert found["rootRecord"]["fields"]["text"]["value"] == "x"
        (refused,) = zoned.post("records/resolve", body, database="public", user="eve")["results"]
        assert refused["serverErrorCode"] in ("NOT_FOUND", "ACCESS_DENIED")
        (joined,) = zoned.post(
            "records/accept", {"shortGUIDs": [{"value": guid}]}, database="public",
            user="ann")["results"]
        assert joined["databaseScope"] == "SHARED"
        assert joined["participantStatus"] == "ACCEPTED"
        zones = zoned.post("zones/list", {}, database="shared", user="ann")["zones"]
        looked = zoned.post(
            "records/lookup",
            {"records": [{"recordName": "root"}], "zoneID": zones[0]["zoneID"]},
            database="shared", user="ann")["records"]
        assert looked[0]["fields"]["text"]["value"] == "x"


class TestPush:
    """W0.5, W4.9, W10.16."""

    def courier(self, zoned):
        """A device's token, with its URL for long polls."""
        url = zoned.url + zoned.path("tokens/create", "x").replace("/database/", "/device/") \
            .replace("/x/", "/")
        answer = zoned.session.post(
            f"{url}?{zoned.query()}", data=json.dumps({"apnsEnvironment": "development"})).json()
        assert answer["apnsToken"] and answer["webcourierURL"].startswith("http")
        return answer

    def test_poll_that_leaves(self, zoned):
        """The connection of a poll ends soon after its client is gone (design.md §11: bounded)."""
        address = urllib.parse.urlsplit(self.courier(zoned)["webcourierURL"])
        before = zoned.descriptors
        with socket.create_connection((address.hostname, address.port)) as client:
            client.sendall(
                f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
            time.sleep(0.3)
            assert zoned.descriptors > before
        for _ in range(50):
            if zoned.descriptors <= before:
                break
            time.sleep(0.1)
        else:
            pytest.fail("the connection is still open after 5 s")

    def test_courier(self, zoned):
        zoned.post("subscriptions/modify", {"operations": [{
            "operationType": "create",
            "subscription": {
                "subscriptionID": "z", "subscriptionType": "zone", "zoneID": ZONE,
                "notificationInfo": {"alertBody": "changed"}}}]})
        answer, found = self.courier(zoned), []

        def poll():
            found.append((zoned.session.get(answer["webcourierURL"]).json(), time.monotonic()))

        poller = threading.Thread(target=poll)
        poller.start()
        time.sleep(0.5)
        assert not found  # held, as nothing happened
        # Another process changes a record.
        zoned.cli("record", "save", "Note", "text=x", "--name", "a", "-z", "Lists")
        saved = time.monotonic()
        poller.join(timeout=5)
        payload, came = found[0]
        assert payload["ck"]["fet"]["sid"] == "z" and payload["aps"]["alert"] == "changed"
        assert came - saved < 1

    def test_register(self, cloud):
        url = f"{cloud.url}/device/1/iCloud.org.example.app/development/tokens/register"
        body = {"apnsEnvironment": "development", "apnsToken": "aa"}
        assert cloud.session.post(f"{url}?{cloud.query()}", json=body).json() == {}
