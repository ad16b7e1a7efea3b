"""docs/server.md and docs/real-containers.md work as they are written (DS10)."""

import os
import re
import socket
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT

BLOCKS = [
    block
    for page in ("server.md", "real-containers.md")
    for block in re.findall(
        r"^```(\w*)(?: name=(\S+))?\n(.*?)^```$", (ROOT / "docs" / page).read_text(), re.M | re.S)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the page."""
    folder = tmp_path_factory.mktemp("page")
    for _, name, text in BLOCKS:
        if name:
            (folder / name).write_text(text)
    return folder


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


@pytest.mark.parametrize(
    "text", [text for kind, name, text in BLOCKS if kind == "sh" and not name],
    ids=["first-request", "signed", "tests", "pull"])
def test_page(folder, text):
    """Each block of shell ends well, and prints what the page is about."""
    port = free_port()
    text = text.replace("serve &", f"serve --port {port} &")
    text = text.replace("serve --store there &", f"serve --store there --port {port} &")
    text = text.replace("8321", port)
    programs = f"{os.path.dirname(PROGRAM)}:{os.path.dirname(sys.executable)}"
    result = subprocess.run(
        ["sh", "-ec", text], cwd=folder, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder)})
    assert result.returncode == 0, result.stdout + result.stderr
    shown = {
        "curl": "Milk", "signed": "b2 Nightfall", "pytest": "2 passed", "pull": "oslo\tOslo",
    }
    expected = next(value for word, value in shown.items() if word in text)
    assert expected in result.stdout, result.stdout + result.stderr
