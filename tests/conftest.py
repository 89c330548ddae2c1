"""What holds for all tests: how wide tables are, a browser for pages, figures for nobody."""

import os
import shutil

import pytest

# Workers of pytest-xdist are started with it; tests say themselves how wide tables are.
os.environ.pop("COLUMNS", None)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")


def pytest_xdist_auto_num_workers():
    """One more than there are cores: many tests wait for programs that they have started."""
    return (os.cpu_count() or 1) + 1


LONG = (
    "experiments/test_own_keys.py",
    "experiments/test_cluster.py",
    "experiments/test_killed.py",
    "experiments/test_space.py",
    "docs/test_documents.py",
    "docs/test_examples.py",
    "docs/test_site.py",
    "report/test_reproduction.py",
    "studies/test_rfc7928.py",
    "studies/test_ece6110.py",
    "studies/test_large_network.py",
    "trace/test_pcapng_tcp.py",
    "trace/test_pcapng_udp.py",
)
"""The modules that take longest."""


def pytest_collection_modifyitems(items):
    """They come first, so that in the end no worker is left with one of them while others idle."""
    items.sort(key=lambda item: not str(item.path).endswith(LONG))


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A real browser."""
    if not (CHROMIUM and DRIVER):
        pytest.skip("needs Chromium and its driver: apt install chromium-driver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    profile = tmp_path_factory.mktemp("profile")
    for one in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(one)
    options.add_argument(f"--user-data-dir={profile}")
    if os.geteuid() == 0:
        # Chromium refuses root its sandbox; the page is our own.
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def hosts():
    """A machine that lets us make hosts for real programs."""
    from sojourn.emulation.hosts import check_machine
    from sojourn.errors.brief import InputError

    try:
        check_machine()
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except (InputError, OSError) as error:
        pytest.skip(f"needs network namespaces, iproute2 and /dev/net/tun: {error}")


def sketch(monkeypatch, formats):
    """Figures are drawn in these formats alone; the other files name their format."""
    from matplotlib.figure import Figure

    from sojourn.plots import save

    draw = save.drawn

    def drawn(figure, ending):
        return draw(figure, ending) if ending in formats else f"<{ending}/>".encode()

    monkeypatch.setattr(save, "drawn", drawn)
    if not formats:
        monkeypatch.setattr(Figure, "draw_without_rendering", lambda _: None)


@pytest.fixture
def sketched(monkeypatch):
    """Figures become files that nobody has drawn: for tests of what is written where."""
    sketch(monkeypatch, ())


@pytest.fixture
def drawn_once(monkeypatch):
    """Figures are drawn, as SVG: what goes wrong with one goes wrong in one format."""
    sketch(monkeypatch, ("svg",))
