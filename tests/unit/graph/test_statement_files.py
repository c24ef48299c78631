"""The files of statements mirror the modules that run them, and every name in the code is a statement's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import clause
from clause.graph.catalogue import Catalogue, statement_files

PACKAGE = Path(clause.__file__).parent
FILES = dict(statement_files())
NAMES = frozenset(Catalogue.load())
ROOMS = "|".join(sorted({name.partition("/")[0] for name in NAMES}))
LIKE_A_NAME = re.compile(rf"(?:{ROOMS})/[a-z_]*(?:\[\w*\]?)?")
MOST_FILES = 90


def texts(module: Path) -> Iterator[str]:
    """The string constants of a module, parts of f-strings among them."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def named(file: str, name: str) -> bool:
    """True when the module of this file's path quotes the name, in code or in a docstring."""
    module = PACKAGE / f"{file}.py"
    return module.is_file() and re.search(rf'["`]{re.escape(name)}["`]', module.read_text(encoding="utf-8")) is not None


USED = {module.relative_to(PACKAGE).with_suffix("").as_posix(): set(texts(module)) for module in PACKAGE.rglob("*.py")}


def test_a_file_is_called_like_the_module_that_runs_its_statements():
    strays = {
        f"{file}.cypher: {statement.name}"
        for file, statements in FILES.items()
        for statement in statements
        if not named(file, statement.name)
    }
    assert strays == set(), "give a statement to the file of a module that names it"


def test_every_statement_is_run_by_something() -> None:
    assert NAMES - set().union(*USED.values()) == set(), "nothing in the package names these"


def test_the_files_stay_few():
    assert len(FILES) <= MOST_FILES


def test_no_name_of_a_statement_is_put_together_and_none_is_unknown():
    found = {
        (module, text)
        for module, constants in USED.items()
        for text in constants
        if LIKE_A_NAME.fullmatch(text) and text not in NAMES
    }
    assert found == set(), "write the whole name of a statement, so that it can be found"


def test_the_end_of_a_belief_as_it_was_known_is_read_alike_everywhere() -> None:
    case = re.compile(r"CASE WHEN (\w)\.superseded_at > \$recorded.*?END > \$valid", re.DOTALL)
    catalogue = Catalogue.load()
    found = [one for name in sorted(NAMES) for one in case.finditer(catalogue[name].text)]
    said = {" ".join(one[0].replace(f"{one[1]}.", "n.").split()) for one in found}
    assert (len(found), len(said)) == (4, 1)
