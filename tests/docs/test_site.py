"""The site that `make docs` writes: it builds strictly, needs no network, and its links lead on."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("mkdocs")

ROOT = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    """What a page names and what it leads to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.pictures: list[dict[str, str | None]] = []
        self.language: str | None = None
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.update(value for key in ("id", "name") if (value := given.get(key)))
        if tag == "a" and (target := given.get("href")):
            self.links.append(target)
        if tag in ("script", "img", "iframe") and (source := given.get("src")):
            self.loaded.append(source)
        if tag == "link" and given.get("rel") in ("stylesheet", "icon"):
            self.loaded.append(given["href"] or "")
        if tag == "img":
            self.pictures.append(given)
        if tag == "html":
            self.language = given.get("lang")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> dict[Path, Page]:
    """The pages of the site, built anew."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {path: Page(path) for path in folder.rglob("*.html") if path.name != "404.html"}


def test_the_site_leads_on_loads_nothing_from_a_network_and_can_be_read_aloud(site):
    assert len(site) > 25
    for path, page in site.items():
        for link in page.links:
            leads_on(site, path, link)
        for source in page.loaded:
            assert not re.match(r"(https?:)?//", source), f"{path.name}: {source}"
            assert (path.parent / source).exists(), f"{path.name}: {source}"
        assert page.language == "en", path
        for picture in page.pictures:
            assert picture.get("alt"), f"{path.name}: {picture.get('src')}"


@pytest.mark.parametrize("page", ["index.html", "reference/disciplines/pie.html"])
def test_the_search_finds_pages_without_a_server(site, browser, page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.expected_conditions import element_to_be_clickable as clickable
    from selenium.webdriver.support.ui import WebDriverWait

    browser.set_window_size(1280, 900)
    browser.get(next(path for path in site if path.as_posix().endswith(page)).as_uri())
    wait = WebDriverWait(browser, 60)
    box = wait.until(clickable((By.CSS_SELECTOR, "input[name=query]")))
    box.click()
    box.send_keys("njit_policy")
    found = (By.CSS_SELECTOR, ".md-search-result__item a")
    wait.until(lambda driver: driver.find_elements(*found))
    pages = [link.get_attribute("href") for link in browser.find_elements(*found)]
    assert any("reference/python/native.html" in each for each in pages)


@pytest.fixture
def shown(site, browser):
    """Open a page of the site as a screen of some width, or paper, shows it."""

    def show(name, *, width, scheme="light", media=""):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": media, "features": features}
        )
        browser.get(next(path for path in site if path.as_posix().endswith(name)).as_uri())
        return browser

    yield show
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def attributes(browser) -> list[list[str | None]]:
    """How the tables of a page are reached by the keyboard and called."""
    return browser.execute_script("""
        return [...document.querySelectorAll('.md-typeset__scrollwrap')].map((part) =>
            ['tabindex', 'role', 'aria-label'].map((name) => part.getAttribute(name)))""")


def test_a_table_that_scrolls_is_reached_by_the_keyboard_and_has_a_name(shown):
    assert attributes(shown("compare.html", width=1400)) == [[None] * 3] * 2
    narrow = attributes(shown("compare.html", width=420))
    assert narrow[1] == ["0", "region", "Table: Side by side"]


@pytest.mark.parametrize("page", ["compare.html", "disciplines/red.html", "scenario.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_paper_and_nothing_pale(shown, page, scheme):
    # A4 less its margins of 1 cm, in pixels of CSS.
    browser = shown(page, width=718, scheme=scheme, media="print")
    beyond = browser.execute_script("""
        return [...document.querySelectorAll('.md-typeset :is(table, td, th, pre > code)')]
            .filter((part) => part.getBoundingClientRect().right > innerWidth
                || (part.tagName === 'CODE' && part.scrollWidth > part.clientWidth))
            .map((part) => part.textContent.slice(0, 60))""")
    assert beyond == []
    link = browser.find_element("css selector", ".md-content a[href]:not(.headerlink)")
    colour = browser.execute_script("return getComputedStyle(arguments[0]).color", link)
    assert colour == "rgb(26, 95, 122)"


CONTRAST = """
const seen = (colour, below) => {
  const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
  return [r, g, b].map((part, n) => a * part + (1 - a) * below[n]);
};
const luminance = (rgb) => rgb.map((part) => part / 255)
  .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
return [...document.querySelectorAll('.md-nav--primary .md-nav__title')].map((title) => {
  const grounds = [];
  for (let one = title; one; one = one.parentElement) grounds.unshift(getComputedStyle(one));
  const ground = grounds.reduce((below, one) => seen(one.backgroundColor, below), [255, 255, 255]);
  const [a, b] = [luminance(seen(getComputedStyle(title).color, ground)), luminance(ground)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
});
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_titles_in_the_drawer_can_be_read(shown, scheme):
    browser = shown("tutorial.html", width=420, scheme=scheme)
    now = browser.execute_script("return document.body.getAttribute('data-md-color-scheme')")
    assert now == {"light": "default", "dark": "slate"}[scheme]
    found = browser.execute_script(CONTRAST)
    assert len(found) > 5
    assert min(found) >= 4.5


def test_the_page_follows_the_system_while_it_is_open(shown):
    browser = shown("tutorial.html", width=1200, scheme="light")
    found = "return document.body.getAttribute('data-md-color-scheme')"
    assert browser.execute_script(found) == "default"
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    wait(browser).until(lambda driver: driver.execute_script(found) == "slate")
    primary = "return document.body.getAttribute('data-md-color-primary')"
    assert browser.execute_script(primary) == "custom"


def wait(browser):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 60)


def test_every_page_stands_in_the_menu(site):
    (index,) = (path for path in site if path.name == "index.html" and path.parent.name == "site0")
    menu = {(index.parent / link.partition("#")[0]).resolve() for link in site[index].links}
    assert sorted(path.name for path in site if path.resolve() not in menu) == []


def leads_on(site: dict[Path, Page], path: Path, link: str) -> None:
    """Hold a link against the pages and their anchors."""
    target, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", target):
        return
    to = (path.parent / unquote(target)).resolve() if target else path
    assert to.exists(), f"{path.name}: {link}"
    if anchor and to in site:
        assert unquote(anchor) in site[to].ids, f"{path.name}: {link}"
