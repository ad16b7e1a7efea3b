"""A copy of a store, to which the lines that the dashboard shows are applied."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from conftest import CONTAINER, PROGRAM

LIBRARY = "iCloud.com.example.library"


class Twin:
    """A copy of a store, to which a shown line is applied. With `whole`, not only containers, schemas
    and records are compared, but also people, shares, devices, faults and snapshots."""

    def __init__(self, cloud, files=None, whole=False):
        self.cloud, self.whole = cloud, whole
        self.folder = cloud.folder / f"twin-{len(list(cloud.folder.iterdir()))}"
        self.store = self.folder / "store"
        shutil.copytree(cloud.store, self.store, ignore=shutil.ignore_patterns("?*.lock"))
        for name, contents in (files or {}).items():
            (self.folder / name).write_bytes(contents)
        self.variables = {
            **cloud.environment, "CKDB_STORE": str(self.store),
            "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}

    def agrees(self, action, line):
        """Whether a line makes the twin equal to the served store."""
        assert line, f"{action} shows no command"
        done = subprocess.run(
            ["bash", "-c", line], cwd=self.folder, env=self.variables, capture_output=True, text=True)
        assert done.returncode == 0, (line, done.stderr)
        assert self.contents(self.variables) == self.contents(self.cloud.environment), line

    def contents(self, variables):
        """Everything that the two must have in common; what differs by chance or time is masked."""
        def run(*words):
            result = subprocess.run(
                [PROGRAM, *words], env=variables, capture_output=True, text=True)
            return masked(result.stdout) if result.returncode == 0 else result.returncode

        everything = {"containers": run("container", "list", "-f", "jsonl")}
        for container in (CONTAINER, LIBRARY):
            for environment in ("development", "production"):
                at = ["-C", container, "-e", environment]
                everything[(container, environment)] = run("schema", "export", *at)
                for database in ("public", "private"):
                    for user in ("me", "ann"):
                        everything[(container, environment, database, user)] = run(
                            "export", *at, "-d", database, "-u", user)
        if self.whole:
            everything["people"] = self.people(variables)
        return everything

    @staticmethod
    def people(variables):
        """What belongs to people and devices in the first container, and to the store: the output of
        many commands in one process."""
        def run(lines):
            script = "\n".join(" ".join(line) for line in lines)
            return masked(subprocess.run(
                [PROGRAM, "run", "-", "--keep-going", "-C", CONTAINER, "-f", "jsonl"], input=script,
                env=variables, capture_output=True, text=True).stdout)

        store = run([name.split() for name in (
            "account list", "device list", "fault list", "snapshot list")])
        devices = re.findall(r'"device":"(\w+)"', store)
        lines = [
            [*name.split(), "-u", user] for user in ("me", "ann", "bob")
            for name in ("export -d shared", "share list", "account quota", f"account show {user}")]
        lines += [
            [*name.split(), "--device", device, "-u", "me"] for device in ["cli"] + devices
            for name in ("kvs list", "document list -l", "document conflicts")]
        return [store, run(lines)]


def masked(text):
    """A text without dates, and without the names and tokens that are made by chance."""
    for pattern, mask in [
            (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "DATE"), (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),
            (r"\b[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\b", "UUID"), (r"\b[0-9a-f]{32,}\b", "TOKEN"),
            (r'"seed":"\d+"', "SEED"), (r'"bytes":\d+', "SIZE")]:
        text = re.sub(pattern, mask, text)
    return text
