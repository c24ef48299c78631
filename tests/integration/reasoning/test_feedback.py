"""Who may judge: a verdict moves a scope that its author may write to, and the sources that are its own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from clause.errors import ForbiddenError, NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.reasoning.answer.calibration import Calibrations, FeedbackGiven
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.episode.budget import Unit
from clause.reasoning.models.answer import RecordedAnswer
from clause.reasoning.neighbourhood.port import View
from tests.integration.reasoning.known_graph import run as cypher
from tests.integration.reasoning.test_runs import NOW, a_run, picks

pytestmark = pytest.mark.integration
WRONG = FeedbackGiven(verdict="wrong")


async def judged_often(graph: Graph, scope: str, *, times: int) -> tuple[Calibrations, RunRecorder]:
    clock = [NOW]
    runs = RunRecorder(graph, now=lambda: clock[0])
    calibrations = Calibrations(graph, runs)
    for number in range(times):
        answers = (RecordedAnswer(node="mann", name="Mann", reader_score=0.9),)
        run = a_run(scope, query=f"who directed film {number}", answers=answers)
        await runs.record(run)
        clock[0] = NOW + timedelta(hours=number)
        await calibrations.give(run.id, WRONG, caller=Caller())
    return calibrations, runs


async def test_a_stranger_and_a_reader_judge_nothing(graph: Graph, scope: str) -> None:
    runs = RunRecorder(graph, now=lambda: NOW)
    calibrations = Calibrations(graph, runs)
    run = a_run(scope, answers=(RecordedAnswer(node="mann", name="Mann", reader_score=0.9),))
    await runs.record(run)
    with pytest.raises(NotFoundError):
        await calibrations.give(run.id, WRONG, caller=Caller(readable=("user:bob",), writable=("user:bob",)))
    with pytest.raises(ForbiddenError):
        await calibrations.give(run.id, WRONG, caller=Caller(readable=(scope,), writable=("user:bob",)))
    await calibrations.outcome(run.id, right=False, caller=Caller(readable=("user:bob",), writable=("user:bob",)))
    assert (await calibrations.report([scope], caller=Caller())).feedback == 0


async def test_what_was_learnt_later_is_not_known_before(graph: Graph, scope: str) -> None:
    calibrations, _ = await judged_often(graph, scope, times=30)
    now = await calibrations.of(View((scope,)))
    assert now is not None
    assert (now.feedback, now.offset < 0) == (30, True)
    assert await calibrations.of(View((scope,), None, datetime(2020, 1, 1, tzinfo=UTC))) is None
    then = await calibrations.of(View((scope,), None, NOW + timedelta(hours=19)))
    assert then is not None
    assert then.feedback == 20
    assert await calibrations.of(View(("user:elsewhere",))) is None


async def test_one_author_has_one_verdict_on_one_answer(graph: Graph, scope: str) -> None:
    runs = RunRecorder(graph, now=lambda: NOW)
    calibrations = Calibrations(graph, runs)
    for _ in range(40):
        run = a_run(scope, answers=(RecordedAnswer(node="mann", name="Mann", reader_score=0.9),))
        await runs.record(run)
        await calibrations.give(run.id, WRONG, caller=Caller())
    assert (await calibrations.report([scope], caller=Caller())).feedback == 1


async def test_a_verdict_weighs_what_the_answer_rests_on_and_nothing_else_of_the_evidence(
    graph: Graph, scope: str
) -> None:
    await cypher(
        graph,
        "UNWIND ['one', 'other'] AS name CREATE (:Source {id: $scope + name, scope: $scope}), (:Belief {id: $scope + "
        "'b' + name, scope: $scope, content: name + ' text', recorded_at: $at, source_id: $scope + name, sources: 1})",
        scope=scope,
        at=NOW,
    )
    units = [Unit(f"{scope}b{name}", f"{name} text", 2, "belief", node=f"{scope}b{name}") for name in ("one", "other")]
    records = await picks(Provenance(graph, lambda: NOW), View((scope,)), *units)
    runs = RunRecorder(graph, now=lambda: NOW)
    calibrations = Calibrations(graph, runs)
    cited = RecordedAnswer(node=None, name="one text", reader_score=0.9, evidence=(records[0].id,))
    told_before = RecordedAnswer(node=None, name="other text", reader_score=0.8)  # nothing says what it rests on
    judged = a_run(scope, answers=(cited, told_before), evidence=tuple(record.id for record in records))
    await runs.record(judged, records)
    assert (await calibrations.give(judged.id, WRONG, caller=Caller())).sources == 1
    weighed = "MATCH (:Feedback {scope: $scope})-[:WEIGHS]->(e:Evidence) RETURN e.unit AS x"
    assert [row["x"] for row in await cypher(graph, weighed, scope=scope)] == [units[0].id]
    other = FeedbackGiven(verdict="wrong", answer="other text")
    assert (await calibrations.give(judged.id, other, caller=Caller())).sources == 0
    assert (await calibrations.report([scope], caller=Caller())).feedback == 2
    assert len(await cypher(graph, weighed, scope=scope)) == 1
