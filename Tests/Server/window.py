"""A window of Chromium on the dashboard, which counts clicks and keys."""

import base64
import os
import pathlib
import shutil

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

SIZES = [(360, 780), (1280, 800), (3840, 2160)]


def start(scripts=True):
    """A browser without a screen; with `scripts` false, pages have no JavaScript."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 "--disable-dev-shm-usage", "--disable-component-update"]:
        options.add_argument(flag)
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


class Window:
    def __init__(self, driver, cloud):
        self.driver, self.cloud, self.count = driver, cloud, 0
        self.show(1280, 800)
        driver.get(cloud.ready["openURL"])
        self.find("open").click()
        self.wait(lambda: driver.current_url == cloud.url + "/")
        self.driver.get_log("browser")

    # The page.

    def show(self, width, height, dark=False):
        """Sets the size of the window and the colours."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def get(self, path):
        self.driver.get(self.cloud.url + path)

    def find(self, test_id):
        return self.driver.find_element(By.CSS_SELECTOR, f"[data-testid='{test_id}']")

    def all(self, test_id):
        return self.driver.find_elements(By.CSS_SELECTOR, f"[data-testid='{test_id}']")

    def texts(self, test_id):
        return [element.text for element in self.all(test_id)]

    def field(self, name):
        return self.driver.find_element(By.NAME, name)

    def wait(self, condition):
        WebDriverWait(self.driver, 20, poll_frequency=0.05).until(lambda _: condition())

    @property
    def focused(self):
        return self.driver.switch_to.active_element

    def errors(self):
        """What the console says, such as violations of the content security policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def picture(self, name):
        """Saves a picture of the whole page, if asked to by CKDB_PICTURES."""
        folder = os.environ.get("CKDB_PICTURES")
        if not folder:
            return
        size = self.driver.execute_script(
            "return [document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 3000), "scale": 1}})
        path = pathlib.Path(folder) / f"{name}.png"
        path.write_bytes(base64.b64decode(picture["data"]))

    # A person's clicks and keys. Typing a text counts as nothing: it is what the person wants.

    def leave(self, act):
        """Does something that loads another page."""
        old = self.driver.find_element(By.TAG_NAME, "html")
        act()
        self.wait(lambda: self.is_gone(old))
        self.wait(lambda: self.driver.execute_script("return document.readyState") == "complete")

    @staticmethod
    def is_gone(element):
        from selenium.common.exceptions import WebDriverException
        try:
            element.is_enabled()
            return False
        except WebDriverException:
            return True

    def click(self, element, leaves=True):
        self.count += 1
        target = self.find(element) if isinstance(element, str) else element
        # A person scrolls before clicking what the foot of the page covers.
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", target)
        self.leave(target.click) if leaves else target.click()

    def press(self, *keys, leaves=False):
        self.count += len(keys)

        def act():
            chain = ActionChains(self.driver)
            for key in keys:
                chain.send_keys(key)
            chain.perform()

        self.leave(act) if leaves else act()

    def type(self, text):
        ActionChains(self.driver).send_keys(text).perform()

    def back(self):
        self.count += 1
        self.leave(self.driver.back)
