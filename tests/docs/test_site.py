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


def leads_on(site: dict[Path, Page], path: Path, link: str) -> None:
    """Hold a link against the pages and their anchors."""
    target, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", target):
        return
    to = (path.parent / unquote(target)).resolve() if target else path
    assert to.exists(), f"{path.name}: {link}"
    if anchor and to in site:
        assert unquote(anchor) in site[to].ids, f"{path.name}: {link}"
