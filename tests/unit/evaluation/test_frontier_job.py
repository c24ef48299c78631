"""The job `evaluate_frontier`: own questions, bounded, in the job's own scope."""

from types import SimpleNamespace

import pytest

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.frontier import evaluate_frontier
from tests.unit.evaluation.test_service_playing import HEAT, stage


class FakeLease:
    """A job's lease that keeps what it is told."""

    def __init__(self, **parameters):
        self.job = SimpleNamespace(scope="kg:films", parameters=parameters)
        self.told = []
        self.cursor = {}

    async def progress(self, done=None, total=None, message=None, *, cursor=None):
        self.told.append((done, total, message))
        self.cursor = cursor or self.cursor


OWN = {"question": HEAT.text, "answers": list(HEAT.answers)}


async def test_own_questions_are_measured_and_the_result_stays_with_the_job():
    on = stage("text")
    lease = FakeLease(questions=[OWN], against="null", edges=[3, 6], tokens=[99], steps=[3])
    await evaluate_frontier(lease, asker=on.asker, coordinator=on.coordinator)
    found = lease.cursor["frontier"]
    assert [row["supported_f1"] for row in found["grid"]] == [pytest.approx(2 / 3, abs=1e-6), 1.0]
    assert lease.told[:2] == [(1, 2, "measuring"), (2, 2, "measuring")]
    assert found["n"] == 1


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ({}, r"parameters\.questions"),
        ({"questions": []}, r"parameters\.questions"),
        ({"questions": [OWN] * 501}, r"parameters\.questions"),
        ({"questions": [{"question": "?"}]}, r"parameters\.questions\.0\.answers"),
        ({"questions": [OWN], "edges": [0]}, r"parameters\.edges\.0"),
        ({"questions": [OWN], "graph": "other"}, r"parameters\.graph"),
    ],
)
async def test_wrong_parameters_are_one_clear_line(parameters, line):
    on = stage("text")
    with pytest.raises(BadInputError, match=line):
        await evaluate_frontier(FakeLease(**parameters), asker=on.asker, coordinator=on.coordinator)


async def test_an_unknown_policy_is_refused():
    on = stage("text")
    with pytest.raises(NotFoundError, match="no policy"):
        await evaluate_frontier(FakeLease(questions=[OWN], policy="oracle"), asker=on.asker, coordinator=on.coordinator)
