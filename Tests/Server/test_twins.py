"""The command line and the server do the same: two stores, one by each, have equal exports."""

import json
import random

OPERATIONS = 10_000
BATCH = 100


def values(chance):
    """A field's name, its assignment for the command line, and its value on the wire."""
    kind = chance.randrange(6)
    if kind == 0:
        text = "".join(chance.choice("aä\"'\\\n\t{}🧭 ") for _ in range(chance.randrange(8)))
        return "text", text, {"value": text, "type": "STRING"}
    if kind == 1:
        number = chance.randrange(-2**63, 2**63)
        return "number", number, {"value": number, "type": "INT64"}
    if kind == 2:
        real = chance.choice([0.5, -1e300, 1e-300, 3.0, chance.random()])
        return "real", real, {"value": real, "type": "DOUBLE"}
    if kind == 3:
        milliseconds = chance.randrange(0, 4_000_000_000_000)
        return "at", {"value": milliseconds, "type": "TIMESTAMP"}, {
            "value": milliseconds, "type": "TIMESTAMP"}
    if kind == 4:
        return "list", ["a", "b"], {"value": ["a", "b"], "type": "STRING_LIST"}
    return "text", None, {"value": None}


def test_twins(make_cloud):
    options = ("--log", "none", "--clock", "2026-01-01T00:00:00Z", "--seed", "7")
    variables = {"CKDB_CLOCK": "2026-01-01T00:00:00Z", "CKDB_SEED": "7"}
    served = make_cloud(*options, environment=variables)
    twin = make_cloud(*options, environment=variables)
    for cloud in (served, twin):
        cloud.cli("zone", "create", "Z", "-d", "private", "--device", "web")
    chance = random.Random(57)
    for start in range(0, OPERATIONS, BATCH):
        zone = chance.choice(["_defaultZone", "Z"])
        wire, lines = [], []
        for name in chance.sample(range(2000), BATCH):
            fields = {}
            plain = {}
            for _ in range(chance.randrange(1, 4)):
                field, given, value = values(chance)
                fields[field], plain[field] = value, given
            if chance.random() < 0.2:
                wire.append({"operationType": "forceDelete", "record": {"recordName": f"r{name}"}})
                lines.append({"recordName": f"r{name}", "deleted": True})
            else:
                wire.append({"operationType": "forceUpdate", "record": {
                    "recordName": f"r{name}", "recordType": "Note", "fields": fields}})
                lines.append({
                    "recordName": f"r{name}", "recordType": "Note", "fields": plain})
        records = served.post(
            "records/modify", {"operations": wire, "zoneID": {"zoneName": zone}})["records"]
        assert not any("serverErrorCode" in record for record in records), records
        twin.cli(
            "record", "save", "--from", "-", "-z", zone, "--policy", "changed", "--no-atomic",
            "--device", "web", text="\n".join(json.dumps(line) for line in lines))
    assert served.cli("export", "--system") == twin.cli("export", "--system")
    served.cli("doctor", "--deep")
