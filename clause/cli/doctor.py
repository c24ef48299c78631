"""`clause doctor`: what is wrong, and how to mend it."""

from __future__ import annotations

import asyncio

import typer

from clause.cli.console import JsonFlag, print_json, stdout

app = typer.Typer()


@app.command()
def doctor(as_json: JsonFlag = False) -> None:
    """Say what is wrong and how to mend it; exit code 1 when anything is."""
    from clause.operations.doctor import examine

    found = asyncio.run(examine())
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        for check in found.checks:
            line = f"{'ok ' if check.ok else 'BAD'}  {check.name:<11} {check.found}"
            stdout().print(line, markup=False)
            if check.remedy:
                stdout().print(f"     {'':<11} -> {check.remedy}", markup=False)
    if not found.ok:
        raise typer.Exit(1)
