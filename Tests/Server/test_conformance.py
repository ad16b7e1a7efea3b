"""Conformance files over HTTP: each states a rule with requests and what their answers must have.

    serve OPTIONS           the options of the server, in the first lines
    $ ckdb WORDS            a command, which must succeed
    as NAME                 who sends the requests that follow: an account, `nobody` or `key`
    > METHOD PATH JSON      a request; a path without a slash is below the container's environment
    < STATUS JSON           its answer: an object may have more members than written, a list no
                            more items
    <: NAME: TEXT           a header of the answer

A line that begins with two spaces continues the one before. Texts in answers: `*` is any value,
`-` no member, `~PATTERN` a regular expression, and `$name` keeps the value, or is the value that
was kept. Requests have `$name` for a kept value.
"""

import json
import re
import shlex

import pytest

from conftest import CONTAINER, ROOT, Signer

FILES = sorted((ROOT / "Tests" / "Conformance" / "services").glob("*.http"))


def differences(expected, found, kept, path="answer"):
    """Where an answer does not have what a file expects of it."""
    if expected == "*":
        return [] if found is not None else [f"{path} is missing"]
    if isinstance(expected, str) and expected.startswith("~"):
        matches = isinstance(found, str) and re.fullmatch(expected[1:], found, re.DOTALL)
        return [] if matches else [f"{path}: {found!r} does not match {expected[1:]!r}"]
    if isinstance(expected, str) and expected.startswith("$"):
        expected = kept.setdefault(expected[1:], found)
    if isinstance(expected, dict) and isinstance(found, dict):
        lines = []
        for name, value in expected.items():
            place = f"{path}.{name}"
            if value == "-":
                lines += [f"{place} is there: {found[name]!r}"] if name in found else []
            elif name not in found:
                lines.append(f"{place} is missing")
            else:
                lines += differences(value, found[name], kept, place)
        return lines
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [
            line for number, pair in enumerate(zip(expected, found))
            for line in differences(*pair, kept, f"{path}[{number}]")]
    same = type(expected) is type(found) and expected == found
    return [] if same else [f"{path}: expected {expected!r}, found {found!r}"]


class Script:
    """A conformance file that runs."""

    def __init__(self, make_cloud, folder, lines):
        self.lines = lines
        options = [word for line in lines if line.startswith("serve ")
                   for word in shlex.split(line)[1:]]
        self.cloud = make_cloud("--log", "none", *options)
        self.folder = folder
        self.caller = "me"
        self.kept = {"container": CONTAINER}
        self.signer = None
        self.answer = None

    def run(self):
        for line in self.lines:
            word, _, rest = line.partition(" ")
            if word == "$":
                assert rest.startswith("ckdb "), line
                self.cloud.cli(*shlex.split(rest)[1:])
            elif word == "as":
                self.caller = rest
            elif word == ">":
                self.send(rest)
            elif word == "<":
                status, _, body = rest.partition(" ")
                assert self.answer.status_code == int(status), (line, self.answer.text)
                lines = differences(json.loads(body), self.answer.json(), self.kept) if body else []
                assert not lines, "\n".join([line, *lines, self.answer.text])
            elif word == "<:":
                name, _, text = rest.partition(": ")
                found = self.answer.headers.get(name, "-")
                assert not differences(text, found, self.kept), (line, found)
            else:
                assert word in ("#", "serve", ""), line

    def send(self, words):
        method, _, rest = words.partition(" ")
        path, _, body = rest.partition(" ")
        for name, value in sorted(self.kept.items(), reverse=True):
            text = value if isinstance(value, str) else json.dumps(value)
            path, body = path.replace("$" + name, text), body.replace("$" + name, text)
        assert "$" not in path + body.replace("${f}", ""), words
        url, headers = self.target(path, body.encode())
        self.answer = self.cloud.session.request(
            method, url, data=body.encode() or None, headers=headers)

    def target(self, path, body):
        """The URL and the headers of a request. URLs of answers have all that they need."""
        if path.startswith("http"):
            return path, {}
        if not path.startswith("/"):
            path = f"/database/1/{CONTAINER}/development/{path}"
        if self.caller == "key":
            self.signer = self.signer or Signer(self.cloud, self.folder)
            return self.cloud.url + path, self.signer.headers(path, body)
        user = None if self.caller == "nobody" else self.caller
        query = "&" if "?" in path else "?"
        return self.cloud.url + path + query + self.cloud.query(user), {}


def lines(path):
    text = path.read_text().replace("\n  ", "")
    text = re.sub(r"<<(\d+)\*(.*?)>>", lambda found: int(found[1]) * found[2], text)
    text = re.sub(
        r"<<(\d+) (.*?)>>",
        lambda found: ",".join(found[2].replace("#", str(i)) for i in range(int(found[1]))), text)
    return text.splitlines()


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_file(path, make_cloud, tmp_path):
    Script(make_cloud, tmp_path, lines(path)).run()


def test_rules_have_files():
    """Each row of W0, W3, W8 and W10 has a file, as have six rules of C."""
    rules = (ROOT / "Tests" / "Conformance" / "RULES.md").read_text()
    known = set(re.findall(r"\*\*(W(?:0|3|5|8|10)\.\d+)\*\*", rules))
    known |= {"C093", "C094", "C105", "C107", "C169", "C255"}
    titles = " ".join(path.read_text().splitlines()[0] for path in FILES)
    assert known - set(re.findall(r"[CW][\d.]*\d", titles)) == set()
