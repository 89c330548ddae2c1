"""The report of an experiment in a real browser: figures, sorting, keyboard, dark and phone."""

import json
from pathlib import Path

import pytest

import sojourn as sj
from sojourn.experiments.folder import read
from sojourn.report.experiment import write


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    sj.run(Path(__file__).parent / "experiment.toml").write(folder)
    experiment = read(folder)
    return write(experiment.results, folder / "report.html", experiment.manifest).as_uri()


def opened(browser, page, *, width=1200, scheme="light", media=""):
    """Open the page without a network, and wait until all figures stand."""
    from selenium.webdriver.support.ui import WebDriverWait

    browser.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.get_log("browser")
    browser.get(page)
    drawn = "return document.documentElement.dataset.drawn === 'yes'"
    WebDriverWait(browser, 120).until(lambda driver: driver.execute_script(drawn))
    return browser


def test_no_error_and_every_figure_stands(browser, page):
    opened(browser, page)
    assert browser.get_log("browser") == []
    ids = json.loads(browser.execute_script("return document.getElementById('specs').textContent"))
    assert {"load", "delay-goodput", "cdf", "drops", "queue"} == ids.keys()
    for one in ids:
        marks = f"return document.querySelectorAll('#{one} svg .mark-group path').length"
        assert browser.execute_script(marks) > 3, one
        label = f"return document.querySelector('#{one} svg').getAttribute('aria-label')"
        assert browser.execute_script(label), one


def column(browser, number):
    script = (
        "return [...document.querySelectorAll('#table-points tbody tr')]"
        f".map((row) => row.cells[{number}].dataset.sort)"
    )
    return [float(one) for one in browser.execute_script(script)]


def test_a_click_sorts_a_table_and_another_turns_it_around(browser, page):
    opened(browser, page)
    head = browser.find_elements("css selector", "#table-points thead th")
    before = column(browser, 2)
    assert before != sorted(before)
    head[2].find_element("tag name", "button").click()
    assert column(browser, 2) == sorted(before)
    assert head[2].get_attribute("aria-sort") == "ascending"
    head[2].find_element("tag name", "button").click()
    assert column(browser, 2) == sorted(before, reverse=True)
    said = browser.find_element("id", "said").get_attribute("textContent")
    assert said == "Sorted by Mean queueing delay at uplink (ms), descending"


def test_the_keyboard_sorts_too(browser, page):
    from selenium.webdriver.common.keys import Keys

    opened(browser, page)
    button = browser.find_elements("css selector", "#table-points thead button")[3]
    button.send_keys(Keys.ENTER)
    values = column(browser, 3)
    assert values == sorted(values)


def colours(browser):
    """How the lines of the queue's figure are coloured."""
    script = (
        "return [...document.querySelectorAll('#queue svg .mark-line path')]"
        ".map((path) => getComputedStyle(path).stroke)"
    )
    return browser.execute_script(script)


def test_a_discipline_that_is_not_chosen_goes_from_figures_and_tables(browser, page):
    from selenium.webdriver.support.ui import WebDriverWait

    opened(browser, page)
    assert len(colours(browser)) == 4
    browser.find_elements("css selector", ".choose input")[1].click()
    WebDriverWait(browser, 30).until(lambda driver: len(colours(driver)) == 3)
    rows = browser.find_elements("css selector", "#table-points tbody tr")
    assert [row.is_displayed() for row in rows] == [True, False, True, True] * 2
    assert browser.get_log("browser") == []


def test_another_case_shows_other_numbers(browser, page):
    from selenium.webdriver.support.ui import Select, WebDriverWait

    opened(browser, page)
    path = "return document.querySelector('#queue svg .mark-line path').getAttribute('d')"
    before = browser.execute_script(path)
    Select(browser.find_element("id", "scene")).select_by_index(0)
    WebDriverWait(browser, 30).until(lambda driver: driver.execute_script(path) != before)


def test_pointing_at_a_mark_shows_its_numbers(browser, page):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.ui import WebDriverWait

    opened(browser, page)
    mark = browser.find_elements("css selector", "#load svg .mark-symbol path")[0]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
    ActionChains(browser).move_to_element(mark).perform()
    tip = "return document.getElementById('vg-tooltip-element')?.textContent ?? ''"
    WebDriverWait(browser, 30).until(lambda driver: "Mean" in driver.execute_script(tip))


def test_dark_and_light_differ_without_being_drawn_again(browser, page):
    opened(browser, page)
    light = colours(browser)
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    assert colours(browser) != light
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in ground[4:-1].split(",")) < 3 * 60


def test_paper_is_white_also_where_the_screen_is_dark(browser, page):
    opened(browser, page, scheme="dark", media="print")
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    ink = browser.execute_script("return getComputedStyle(document.body).color")
    assert ink == "rgb(0, 0, 0)"


def test_paper_says_what_each_mark_is_and_what_was_chosen(browser, page):
    from selenium.webdriver.support.ui import Select, WebDriverWait

    opened(browser, page)
    browser.find_elements("css selector", ".choose input")[1].click()
    Select(browser.find_element("id", "scene")).select_by_index(0)
    metric = Select(browser.find_element("css selector", ".vega-bindings select"))
    metric.select_by_index(2)
    named = "return document.querySelector('#load svg .role-title-text text').textContent"
    wanted = metric.first_selected_option.text
    WebDriverWait(browser, 30).until(lambda driver: driver.execute_script(named) == wanted)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    key = browser.find_element("css selector", "#queue .keys")
    assert key.text.split("\n") == [
        "Drop-tail",
        "CoDel",
        "CoDel, target=20 ms",
        "Case: call rate 0.5 Mbit/s",
    ]
    marks = key.find_elements("css selector", "svg")
    assert [mark.is_displayed() for mark in marks] == [True, False, True, True]
    assert "Case" not in browser.find_element("css selector", "#load .keys").text


@pytest.mark.parametrize("width_in", [8.27, 8.5], ids=["A4", "Letter"])
def test_on_paper_no_figure_is_wider_than_its_frame(browser, page, width_in):
    opened(browser, page)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    # A sheet less its margins of 1 cm, in pixels of CSS.
    size = {"width": round(96 * (width_in - 2 / 2.54)), "height": 1000}
    rest = {"deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size | rest)
    beyond = """return [...document.querySelectorAll('.chart')].map((frame) =>
        frame.querySelector('svg').getBoundingClientRect().right
        - frame.getBoundingClientRect().right)"""
    assert all(pixels < 0 for pixels in browser.execute_script(beyond))
    framed = "return Math.max(...[...document.querySelectorAll('.chart, .keys')]"
    framed += ".map((frame) => frame.getBoundingClientRect().right))"
    assert browser.execute_script(framed) <= size["width"]


def test_figures_are_drawn_for_paper_and_then_for_the_window_again(browser, page):
    opened(browser, page)
    width = "return document.querySelector('#queue svg').viewBox.baseVal.width"
    before = browser.execute_script(width)
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(width) < 680 < before
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(width) == before


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_need_not_scroll_sideways(browser, page, width):
    opened(browser, page, width=width)
    name = "document.querySelector('#scene option:checked')"
    browser.execute_script(f"{name}.textContent = 'a long name of a case '.repeat(9)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
