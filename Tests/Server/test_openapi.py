"""The description of the routes (/openapi.json) is true: generated requests meet no server error."""

import os
import pathlib
import subprocess
import sys


def test_schemathesis(cloud):
    cloud.modify(("create", "a", {"text": "x"}))
    program = pathlib.Path(sys.executable).parent / "schemathesis"
    examples = os.environ.get("CKDB_EXAMPLES", "15")
    result = subprocess.run(
        [program, "run", cloud.url + "/openapi.json", "--checks", "not_a_server_error",
         "--max-examples", examples, "--seed", "57", "--no-color", "--phases", "fuzzing",
         "--request-timeout", "10",
         "-H", "Connection: keep-alive", "--suppress-health-check", "all"],
        capture_output=True, text=True,
        env={**os.environ, "SCHEMATHESIS_HOOKS": ""}, cwd=cloud.folder)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-2000:]


def test_description(cloud):
    described = cloud.session.get(cloud.url + "/openapi.json").json()
    assert described["openapi"].startswith("3.")
    paths = {path.split("{database}/")[1] for path in described["paths"]}
    assert {"records/query", "records/modify", "assets/upload", "users/caller"} <= paths
