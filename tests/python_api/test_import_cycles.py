"""The parts of the package import each other one way: none needs another that needs it."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import sojourn

PACKAGE = Path(sojourn.__file__).parent


def imported(statements):
    """The modules that are imported as soon as a module is, not by its functions, nor for types."""
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            # `from sojourn import studies` imports a module, `from sojourn.files import ...` too.
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)
        elif isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from imported(statement.orelse)
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from imported(
                child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)
            )


def parts():
    """The modules and packages at the top, each with those among them that it imports."""
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py")} - {"__init__"}
    found = {name: set() for name in names}
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for name in imported(ast.parse(path.read_text(encoding="utf-8")).body):
            package, _, inner = name.partition(".")
            other = inner.partition(".")[0]
            if package == "sojourn" and part in names and other in names - {part}:
                found[part].add(other)
    return found


def test_what_is_imported_is_seen():
    assert {"scenario", "workers", "experiments"} <= parts()["runner"]


def test_no_part_imports_one_that_imports_it():
    try:
        order = list(TopologicalSorter(parts()).static_order())
    except CycleError as error:
        circle = " <- ".join(error.args[1])
        raise AssertionError(f"they import each other: {circle}") from None
    assert order.index("scenario") < order.index("workers") < order.index("runner")
