"""Pages of the site that lie elsewhere in the repository, and the pages of single disciplines.

A hook of MkDocs: README.md and its like become pages, links between them are led to where they
went, and every page under ``reference/disciplines/`` and ``examples/`` finds its place in the menu.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent

PAGES = {
    "README.md": "index.md",
    "COMPARE.md": "compare.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "DESIGN.md": "design.md",
    "evidence/README.md": "evidence.md",
    "examples/README.md": "examples.md",
}
"""File of the repository -> page of the site."""

PROGRAMS = sorted((ROOT / "examples").glob("*.py"))
PAGES |= {f"examples/{path.name}": f"examples/{path.stem}.md" for path in PROGRAMS}

ACRONYMS = ("aqm", "l4s", "red", "rtt")
"""Words of the names of examples that are written in capitals."""

WIDE = ("index.md", "compare.md")
"""Pages with wide tables; so are those of single disciplines, with their figures."""

SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the theme would load from the network on pages that are opened from disk."""

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):<code>([^<]*)</code>")

LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of single disciplines and of examples into the menu."""
    folder = Path(config.docs_dir) / "reference" / "disciplines"
    pages = sorted(f"reference/disciplines/{path.name}" for path in folder.glob("*.md"))
    examples = [f"examples/{path.stem}.md" for path in PROGRAMS]
    if config.nav is not None:
        _place(config.nav, "reference/disciplines.md", "Queue disciplines", pages)
        _place(config.nav, "examples.md", "Examples", examples)
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside docs/."""
    for source, page in PAGES.items():
        content = (ROOT / source).read_text(encoding="utf-8")
        content = _shown(source, content) if source.endswith(".py") else _led(content, source)
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Lead links of docs/ that point out of it; give wide pages the room of their contents."""
    source = page.file.src_uri
    if source in WIDE or source.startswith("reference/disciplines/"):
        page.meta["hide"] = ["toc"]
    return markdown if source in PAGES.values() else _led(markdown, f"docs/{source}")


def on_page_content(html: str, **_: Any) -> str:
    """Show names in docstrings without Sphinx's word for what they are."""
    return ROLE.sub(r"<code>\1</code>", html)


def on_post_page(output: str, *, page: Any, **_: Any) -> str:
    """Have the search load its stand-in for workers from the site itself: pages are offline."""
    here = posixpath.dirname(page.file.dest_uri) or "."
    return output.replace(SHIM, posixpath.relpath("assets/iframe-worker.js", here))


def on_post_build(config: MkDocsConfig) -> None:
    """Leave out the page for a server's missing pages: it works at the root of a server only."""
    (Path(config.site_dir) / "404.html").unlink(missing_ok=True)


def _shown(source: str, code: str) -> str:
    """The page of an example: its program."""
    words = posixpath.basename(source).removesuffix(".py").capitalize().split("_")
    title = " ".join(word.upper() if word.lower() in ACRONYMS else word for word in words)
    return f"# {title}\n\n```python\n{code}```\n"


def _place(nav: list[Any], of_all: str, title: str, pages: list[str]) -> None:
    """Replace the one page of all by itself and a page for each, wherever it stands."""
    for number, entry in enumerate(nav):
        if entry == of_all:
            nav[number] = {title: [entry, *pages]}
        elif isinstance(entry, dict):
            for below in entry.values():
                if isinstance(below, list):
                    _place(below, of_all, title, pages)


def _led(markdown: str, source: str) -> str:
    """Rewrite the links of a file, relative to its page; of what the site lacks stays the text."""
    here = posixpath.dirname(source)
    page = posixpath.dirname(PAGES.get(source, source.removeprefix("docs/"))) or "."

    def lead(match: re.Match[str]) -> str:
        text, target, anchor = match["text"], match["target"], match["anchor"] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = posixpath.normpath(posixpath.join(here, target))
        to = PAGES.get(path)
        if to is None and path.startswith("docs/"):
            to = path.removeprefix("docs/") + ("/index.md" if (ROOT / path).is_dir() else "")
        if to is None:
            return text
        return f"[{text}]({posixpath.relpath(to, page)}{anchor})"

    return LINK.sub(lead, markdown)
