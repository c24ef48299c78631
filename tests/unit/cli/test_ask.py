import json
from collections.abc import Callable
from typing import Any

import pytest

from clause.errors import NotFoundError, UnavailableError
from tests.unit.api.fakes import FakeContainer
from tests.unit.cli.conftest import Done

Clause = Callable[..., Done]


def test_an_answer_is_printed_in_its_four_sections(clause: Clause, opened: FakeContainer) -> None:
    opened.coordinator.result = {"answers": [{"node": "n", "name": "Kes", "answer_score": 0.9}]}
    done = clause("ask", "who directed it")
    assert done.code == 0
    assert "Kes  (0.90)" in done.out
    assert [line for line in done.out.splitlines() if line in {"answer", "path", "evidence", "receipt"}] == [
        "answer",
        "path",
        "evidence",
        "receipt",
    ]


def test_every_option_reaches_the_request(clause: Clause, opened: FakeContainer) -> None:
    options = ["--start", "Kes", "--start", "ent_1", "--scope", "kg:metaqa", "--edge-budget", "20"]
    more = ["--step-budget", "3", "--token-budget", "100", "--policy", "heuristic", "--json"]
    done = clause("ask", "who directed it", *options, *more)
    (request,) = opened.coordinator.asked
    assert request.start_nodes == ["Kes", "ent_1"]
    assert request.scopes == ["kg:metaqa"]
    assert request.budgets.model_dump() == {"edge_budget": 20, "step_budget": 3, "token_budget": 100}
    assert request.policy == "heuristic"
    assert json.loads(done.out)["run_id"] == "run_1"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["ab"], 1, "query"),
        (["x" * 10_001], 1, "query"),
        (["who", "--edge-budget", "9"], 2, "--edge-budget"),
        ([], 2, "question"),
    ],
)
def test_a_question_out_of_bounds_is_one_clear_error(
    clause: Clause, opened: FakeContainer, arguments: list[str], code: int, words: str
) -> None:
    done = clause("ask", *arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert opened.coordinator.asked == []


@pytest.mark.parametrize(("error", "code"), [(NotFoundError("no entity"), 1), (UnavailableError("away"), 3)])
def test_errors_of_the_rooms_keep_their_exit_codes(
    clause: Clause, opened: FakeContainer, error: Any, code: int
) -> None:
    opened.fail(error)
    done = clause("ask", "who directed it", "--json")
    assert done.code == code
    assert json.loads(done.out)["error"]["code"] == error.code
