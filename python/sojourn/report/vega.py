"""Vega, Vega-Lite and Vega-Embed as one text of JavaScript, so that a page needs no network."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

import altair as alt
import vl_convert
from platformdirs import user_cache_path

from sojourn.files.whole import Unfinished


@cache
def bundle() -> str:
    """The libraries, of the version that Altair writes for; they define ``vegaEmbed``."""
    version = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
    text = _kept(version, user_cache_path("sojourn"))
    # Inside a page a closing tag would end the script; and its names are nobody else's.
    return "(() => {" + re.sub(r"</(?=script)", r"<\\/", text, flags=re.I) + "})();"


def _kept(version: str, folder: Path) -> str:
    """What vl-convert makes for a version of Vega-Lite, which takes it seconds: so it is kept."""
    maker = metadata.version("vl-convert-python")
    path = folder / f"vega-lite-{version}-of-vl-convert-{maker}.js"
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8")
    text = vl_convert.javascript_bundle(vl_version=version)  # pyright: ignore[reportCallIssue]
    # Where nothing can be kept, it is made each time.
    with suppress(OSError), Unfinished(path) as file:
        file.write(text.encode())
        file.take_place()
    return text
