"""`python -m funcgrad.torch --explain [--json FILE] [--html FILE] script.py [arguments]`."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from types import CodeType
from typing import Any

from funcgrad.torch.programs import show, start
from funcgrad.torch.report import page, terminal
from funcgrad.torch.report.running import explained
from funcgrad.torch.texts import programs as texts


@dataclass
class Options:
    """Where the report is written, beside the terminal."""

    json: str | None = None
    html: str | None = None


def main(arguments: list[str]) -> int:
    """Run the program that the arguments name, and write the report.

    Returns:
        The exit code of the program.
    """
    options, rest = parsed(arguments)
    if rest is None:
        print(texts.USAGE, end="", file=sys.stderr)
        return 2

    def runner(code: CodeType, names: dict[str, Any]) -> int:
        return run(code, names, options)

    return start(rest, runner)


def parsed(arguments: list[str]) -> tuple[Options, list[str] | None]:
    """Our options, and the arguments without them. Those of the program stand after `--`, if they have our names.

    Example:
        >>> from funcgrad.torch.report.command import parsed
        >>> parsed(["script.py", "--lr", "0.1", "--json", "found.json"])
        (Options(json='found.json', html=None), ['script.py', '--lr', '0.1'])
    """
    options = Options()
    rest: list[str] = []
    pending = list(arguments)
    while pending:
        argument = pending.pop(0)
        if argument == "--":
            return options, rest + pending
        name, has_value, value = argument.partition("=")
        if name in ("--json", "--html"):
            if not has_value and not pending:
                return options, None
            setattr(options, name[2:], value if has_value else pending.pop(0))
        else:
            rest.append(argument)
    return options, rest


def run(code: CodeType, names: dict[str, Any], options: Options) -> int:
    """As `programs.run`, with a report at the end."""
    file = os.path.abspath(names["__file__"])
    report = explained(code, names, code.co_filename, draws=options.html != "")
    exit_code = 0
    if report.error is not None and not isinstance(report.error, SystemExit):
        exit_code = show(report.error)
    sys.stdout.flush()
    html = options.html if options.html is not None else f"{os.path.splitext(os.path.basename(file))[0]}.explained.html"
    if html:
        html = _written(html, page.html(report))
    if options.json:
        _written(options.json, json.dumps([f.as_dict() for f in report.findings], indent=1) + "\n")
    print(terminal.text(report.findings, html), end="", file=sys.stderr)
    if isinstance(report.error, SystemExit):
        raise report.error
    return exit_code


def _written(name: str, content: str) -> str:
    """Write a file; gives its name, or the empty string if that cannot be done."""
    try:
        with open(name, "w", encoding="utf-8") as f:
            f.write(content)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return ""
    return name
