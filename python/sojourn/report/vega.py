"""Vega, Vega-Lite and Vega-Embed as one text of JavaScript, so that a page needs no network."""

from __future__ import annotations

import re
from functools import cache

import altair as alt
import vl_convert


@cache
def bundle() -> str:
    """The libraries, of the version that Altair writes for; they define ``vegaEmbed``."""
    version = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
    text = vl_convert.javascript_bundle(vl_version=version)  # pyright: ignore[reportCallIssue]
    # Inside a page a closing tag would end the script; and its names are nobody else's.
    return "(() => {" + re.sub(r"</(?=script)", r"<\\/", text, flags=re.I) + "})();"
