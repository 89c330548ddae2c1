"""All commands: what each is for, and where it is found when it is asked for.

A command's file is imported when the command is called: none pays for another's libraries.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from sojourn.cli.status import INTERRUPTED
from sojourn.errors.brief import InputError
from sojourn.errors.nearest import refusal

SUMMARIES = {
    "run": "Run a scenario and print what its links and flows did.",
    "compare": "Compare disciplines on one bottleneck: tables and a figure.",
    "sweep": "Run an experiment of many points into a folder.",
    "merge": "Put the parts of a sweep together (--shard i/n).",
    "plot": "Draw a figure of an experiment.",
    "report": "Write one HTML page about an experiment; it opens offline.",
    "diff": "Show which metrics moved between two experiments.",
    "sensitivity": "Show which open ranges of a scenario its results depend on.",
    "tune": "Search the parameters of a discipline.",
    "reproduce": "Reproduce a published study: tables, figures, verdicts.",
    "replay": "Send a capture through queues, open loop.",
    "emulate": "Run real programs with queues between them.",
    "events": "Log every packet of one run, with the reason of every drop.",
    "tc": "Print the Linux commands for the links of a scenario.",
    "check": "Check a scenario file without running it.",
    "list": "List disciplines, sources, studies or metrics.",
    "drive": "Talk to a discipline in JSON lines.",
    "validate": "Run the evidence again: laws, theory, peers.",
}
"""The commands in the order in which `sojourn --help` lists them, in a line each."""


PATHS = {"path", "file", "directory"}
"""What typer calls the types of paths."""


OF_ANY_BYTES = {"file", "command"}
"""Arguments of other types that name a file, or a program and what it is given."""


def function(name: str) -> Callable[..., Any]:
    """The function behind a command: arguments and options are its parameters."""
    module = importlib.import_module(f"sojourn.cli.{name}")
    return getattr(module, "list_" if name == "list" else name)


def _demand_text(parameter: Any, values: list[Any] | tuple[Any, ...]) -> None:
    """Raise InputError where a value is of bytes that are no text: Python has signs of its own for
    these."""
    for value in values:
        if isinstance(value, str) and any("\udc80" <= sign <= "\udcff" for sign in value):
            is_option = parameter.param_type_name == "option"
            name = parameter.opts[0] if is_option else parameter.human_readable_name
            found = value.encode(errors="surrogateescape").decode(errors="backslashreplace")
            raise InputError(f'{name}: found "{found}", which is not UTF-8; allowed: text')


class Command(TyperCommand):
    """A command whose help names arguments as its usage does, without types of Python."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse empty paths, which are of variables that a script has not set, and text that is
        none."""
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        for parameter in self.get_params(ctx):
            values = given.get(parameter.name or "")
            values = values if isinstance(values, list | tuple) else [values]
            is_path = parameter.type.name in PATHS
            if "" in values and is_path:
                raise typer.BadParameter("found nothing; allowed: a path", ctx, parameter)
            if not is_path and parameter.name not in OF_ANY_BYTES:
                _demand_text(parameter, values)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options."""
        records: dict[str, list[Any]] = {"argument": [], "option": []}
        for parameter in self.get_params(ctx):
            name, text = parameter.get_help_record(ctx) or ("", "")
            kind = parameter.param_type_name
            if text:
                records[kind].append((parameter.metavar if kind == "argument" else name, text))
        for title, rows in (("Arguments", records["argument"]), ("Options", records["option"])):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Commands(TyperGroup):
    """The group of all commands; each is made when it is called."""

    def __init__(self, **attributes: Any) -> None:
        """Make the group with the names of all commands."""
        super().__init__(**attributes)
        self.commands = dict.fromkeys(SUMMARIES)  # pyright: ignore[reportAttributeAccessIssue]

    def invoke(self, ctx: Any) -> Any:
        """Run a command; say that it was interrupted, where it does not say so itself."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            print(": ".join(["interrupted", *interrupt.args]), file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or none for a name that is not one."""
        if cmd_name not in SUMMARIES:
            return None
        from sojourn.cli import manual

        asked = function(cmd_name)
        alone = typer.Typer(rich_markup_mode=None, add_completion=False)
        alone.command(cmd_name, cls=Command, epilog=manual.epilog(asked))(asked)
        command: Any = typer.main.get_command(alone)
        manual.name_values(asked, command)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is called; a usage error names the nearest, or all."""
        if args and args[0] not in SUMMARIES:
            ctx.fail(f"No such command: {refusal(args[0], SUMMARIES)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))
