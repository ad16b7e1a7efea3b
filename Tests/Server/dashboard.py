"""A browser without JavaScript: it follows links and submits the forms of pages as they are."""

import html
import re
from html.parser import HTMLParser

import requests


class Form:
    """A form of a page: its action, and the fields that it would send."""

    def __init__(self, attributes):
        self.action = attributes.get("action", "")
        self.method = attributes.get("method", "get")
        self.test_ids = {attributes.get("data-testid")}
        self.fields, self.files, self.buttons = [], [], {}

    def set(self, name, value):
        """Replaces the values of a field: one, several, or none."""
        place = next((i for i, field in enumerate(self.fields) if field[0] == name), len(self.fields))
        values = value if isinstance(value, list) else [] if value is None else [value]
        self.fields = [field for field in self.fields if field[0] != name]
        self.fields[place:place] = [(name, value) for value in values]


class Page(HTMLParser):
    """The forms and links of a page."""

    def __init__(self, answer):
        super().__init__()
        self.answer, self.text, self.status = answer, answer.text, answer.status_code
        self.forms, self.links, self.texts = [], {}, {}
        self.open_form = self.select = self.area = self.inside = None
        self.feed(answer.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        name, test_id = attributes.get("name"), attributes.get("data-testid")
        if tag == "form":
            self.open_form = Form(attributes)
            self.forms.append(self.open_form)
        if test_id:
            self.inside = (test_id, tag)
            self.texts.setdefault(test_id, []).append("")
        if tag == "a" and test_id:
            self.links.setdefault(test_id, []).append(attributes["href"])
        form = self.open_form
        if form is None:
            return
        if tag == "button":
            form.buttons[test_id] = attributes
        kind = attributes.get("type", "text")
        if tag == "input" and name:
            if kind == "file":
                form.files.append(name)
            elif kind not in ("checkbox", "radio") or "checked" in attributes:
                form.fields.append((name, attributes.get("value", "on" if kind == "checkbox" else "")))
        elif tag == "select" and name:
            self.select, self.options = name, []
        elif tag == "option" and self.select:
            self.options.append((attributes["value"], "selected" in attributes))
        elif tag == "textarea":
            self.area, self.content = name, ""

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[1]:
            self.inside = None
        if tag == "form":
            self.open_form = None
        elif tag == "select" and self.select:
            chosen = [value for value, is_chosen in self.options if is_chosen]
            self.open_form.fields.append((self.select, (chosen or [self.options[0][0]])[0]))
            self.select = None
        elif tag == "textarea" and self.area is not None:
            # The first line end belongs to the markup.
            self.open_form.fields.append((self.area, self.content.removeprefix("\n")))
            self.area = None

    def handle_data(self, data):
        if self.area is not None:
            self.content += data
        if self.inside:
            self.texts[self.inside[0]][-1] += data

    def form(self, test_id):
        """The form, or the one of a button."""
        return next(
            form for form in self.forms if test_id in form.test_ids or test_id in form.buttons)

    def shown(self, test_id):
        return [text.strip() for text in self.texts.get(test_id, [])]

    @property
    def did(self):
        """The command of the action that led to the page."""
        return "".join(self.texts.get("did", []))


class Browser:
    """A browser without JavaScript."""

    def __init__(self, cloud, opens=True):
        self.cloud, self.session = cloud, requests.Session()
        if opens:
            self.open(cloud.ready["openURL"])

    def open(self, link):
        page = self.session.get(link)
        assert page.status_code == 200 and not page.cookies
        code = re.search(r'name="code" value="([^"]*)"', page.text)[1]
        return self.session.post(
            f"{self.cloud.url}/open", data={"code": code}, headers={"Origin": self.cloud.url})

    def get(self, path, **parameters):
        return self.session.get(self.cloud.url + path, params=parameters)

    def page(self, path, **parameters):
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, answer.text
        return Page(answer)

    def command(self, page):
        """The command line that a page shows."""
        return html.unescape(re.search(r'data-testid="command">([^<]*)<', page.text)[1])

    def submit(self, page, test_id, values=None, files=None, status=200, headers=None):
        """Submits a form as a browser does. `values` replaces fields, `files` are (name, bytes)."""
        form = page.form(test_id)
        for name, value in (values or {}).items():
            form.set(name, value)
        button = form.buttons.get(test_id, {})
        fields = [(name, value.replace("\r\n", "\n").replace("\n", "\r\n")) for name, value in form.fields]
        if "name" in button:
            fields.append((button["name"], button.get("value", "")))
        url = self.cloud.url + button.get("formaction", form.action)
        parts = None
        if form.files:
            parts = [(name, (None, value)) for name, value in fields]
            for name in form.files:
                chosen = (files or {}).get(name, ("", b""))
                chosen = chosen if isinstance(chosen, list) else [chosen]
                parts += [(name, file) for file in chosen]
        if form.method == "get":
            answer = self.session.get(url, params=fields)
        else:
            answer = self.session.post(
                url, data=None if parts else fields, files=parts,
                headers={"Origin": self.cloud.url, **(headers or {})})
        assert answer.status_code == status, (answer.status_code, answer.text)
        return Page(answer)
