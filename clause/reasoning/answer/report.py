"""The report of a finished episode: answers and walks, evidence with provenance, the receipt, and the recorded run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from clause.graph.scopes import Caller
from clause.reasoning.agents.policy import Account, Agents, LeftOut, Policy, ProvedAnswer, Question, least_score
from clause.reasoning.agents.text_walk import TextAgents
from clause.reasoning.answer.calibration import moved
from clause.reasoning.answer.evidence import EvidenceRecord, Provenance, UnitOrigin, own
from clause.reasoning.answer.run_record import RunRecord, digest_of, make_receipt
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.episode.actions import Agent, Pick
from clause.reasoning.episode.budget import Spend, Unit, edge_unit_id
from clause.reasoning.episode.driver import Turns, unit_vectors
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.steps import step_records
from clause.reasoning.episode.subgraph import Path, chains
from clause.reasoning.models import CoordinationRequest, CoordinationResponse, SelectedEvidence
from clause.reasoning.models.answer import (
    Answer,
    AnswerEdge,
    AnswerKind,
    AnswerNode,
    AnswerPath,
    AnswerSubgraph,
    PathStep,
    Receipt,
    RecordedAnswer,
    ScopeCalibration,
    SeedNode,
)
from clause.reasoning.neighbourhood.port import Edge, Node
from clause.reasoning.question.preparation import PreparedQuestion

NO_SEEDS = "no entity of these scopes is named in the question, and no start node was given"
NO_WALK = "the walk reached nothing that could answer the question"
TOO_DEAR = "the evidence that would prove the answer does not fit into the budgets: raise them"
TOO_WEAK = "the best answer's score is below the policy's threshold"


@dataclass(frozen=True, slots=True)
class Finished:
    """An episode after its last turn: the turns of each agent, and what they found. `reason`: why it abstains.

    `read`: the answers as the reader scored them; `answers`: as feedback in these scopes calibrates those.
    """

    asked: PreparedQuestion
    policy: Policy
    agents: Agents
    episode: Episode
    turns: Turns
    answers: tuple[Answer, ...]
    paths: tuple[AnswerPath, ...]
    reason: str | None
    read: tuple[Answer, ...]

    @classmethod
    def of(cls, asked: PreparedQuestion, policy: Policy, agents: Agents, episode: Episode, turns: Turns) -> Finished:
        """Gather what the agents found in an episode."""
        findings = agents.findings(episode)
        if findings is None:
            answers, paths = answer_views(episode, agents.answer_scores(episode))
        else:
            answers, paths = proved_views(episode, findings)
            if not findings and isinstance(agents, TextAgents):
                paths = tuple(path_view(path, episode) for path in agents.walked(episode))
        told = calibrated(answers, asked.calibration)
        reason = _abstains(asked, policy, told, agents.account)
        return cls(asked, policy, agents, episode, turns, told, paths, reason, answers)

    @property
    def account(self) -> Account:
        """The understanding of the question."""
        return self.agents.account

    @property
    def abstained(self) -> bool:
        """True where no answer is good enough."""
        return self.reason is not None

    def spent(self, agent: Agent) -> Spend:
        """Everything one agent spent, over all rounds."""
        return sum((step.cost for step in self.episode.log if step.agent == agent), Spend())

    def latency_ms(self, agent: Agent) -> float:
        """An agent's milliseconds, over all rounds."""
        return sum(turn.latency_ms for turn in self.turns.get(agent, ()))


def calibrated(answers: tuple[Answer, ...], calibration: ScopeCalibration | None) -> tuple[Answer, ...]:
    """Answers with the scores that feedback taught; their order stays."""
    if calibration is None:
        return answers
    scores = [moved(answer.answer_score, calibration) for answer in answers]
    pairs = zip(answers, scores, strict=True)
    return tuple(answer.model_copy(update={"answer_score": score}) for answer, score in pairs)


def _abstains(asked: PreparedQuestion, policy: Policy, answers: Sequence[Answer], account: Account) -> str | None:
    """Say why no answer is good enough; None where one is."""
    if not answers:
        return account.reason or (TOO_DEAR if account.readings else NO_WALK if asked.question.seeds else NO_SEEDS)
    if max(answer.answer_score for answer in answers) >= least_score(asked.question, account, policy):
        return None
    return account.doubt or TOO_WEAK


MOST_RECORDED = 20
"""Answers of a run that feedback may judge."""

PATHS_OF_AN_ANSWER = 3
"""Walks kept for each answer; the first supported one is among them."""


def path_id(path: Path) -> str:
    """A stable id of a walk.

    >>> path_id(Path(("a", "b"), (Edge("a", "r", "b"),)))
    'path_fb48433b0ea7'
    """
    words = "\n".join([path.nodes[0], *("|".join(edge) for edge in path.edges)])
    return f"path_{hashlib.sha256(words.encode()).hexdigest()[:12]}"


def subgraph_view(episode: Episode) -> AnswerSubgraph:
    """The working subgraph: its nodes with names, its edges in the order they were added, and how many were read."""
    nodes = episode.subgraph.nodes
    return AnswerSubgraph(
        nodes=tuple(_node_view(nodes, node) for node in sorted(episode.subgraph.touching())),
        edges=tuple(_edge_view(edge) for edge in episode.subgraph.edges),
        edges_read=episode.subgraph.edges_read,
    )


def answer_views(episode: Episode, scores: Mapping[str, float]) -> tuple[tuple[Answer, ...], tuple[AnswerPath, ...]]:
    """(answers, paths): the end nodes by falling score, then name, then id, each with the walks that lead to it."""
    if episode.front is None:
        return (), ()
    nodes = episode.subgraph.nodes
    order = sorted(episode.front.nodes, key=lambda node: (-scores.get(node, 0.0), _name(nodes, node), node))
    answers: list[Answer] = []
    paths: dict[str, AnswerPath] = {}
    for node in order:
        kept = _kept_paths(episode, node)
        ids = tuple(path_id(path) for path in kept)
        for key, path in zip(ids, kept, strict=True):
            if key not in paths:
                paths[key] = path_view(path, episode)
        supported = episode.supporting_path(node) is not None
        score = scores.get(node, 0.0)
        answers.append(
            Answer(node=node, name=_name(nodes, node), answer_score=score, supported=supported, path_ids=ids)
        )
    return tuple(answers), tuple(paths.values())


def proved_views(
    episode: Episode, findings: Sequence[ProvedAnswer]
) -> tuple[tuple[Answer, ...], tuple[AnswerPath, ...]]:
    """(answers, paths): answers that were found with their proofs, in their order, each with the walks of its proof."""
    cited = {episode.pool[place].id for place in episode.picked}
    answers: list[Answer] = []
    paths: dict[str, AnswerPath] = {}
    for finding in findings:
        walks = [_laid(start, edges) for start, edges in chains(finding.triples, episode.subgraph.seeds)]
        for walk in walks:
            paths.setdefault(path_id(walk), path_view(walk, episode))
        said = finding.statement
        proof = [said.id] if said is not None else [edge_unit_id(edge) for edge in finding.triples]
        supported = bool(proof) and cited.issuperset(proof)
        answers.append(
            Answer(
                node=finding.node,
                name=finding.name,
                kind=_kind(finding),
                statement=said.id if said is not None else None,
                confidence=said.confidence if said is not None else None,
                answer_score=finding.score if supported else 0.99 * finding.score,
                supported=supported,
                path_ids=tuple(dict.fromkeys(map(path_id, walks))),
            )
        )
    return tuple(sorted(answers, key=lambda answer: -answer.answer_score)), tuple(paths.values())


def _kind(finding: ProvedAnswer) -> AnswerKind:
    if finding.statement is None:
        return "word" if finding.node is None else "entity"
    return "statement" if finding.node == finding.statement.id else "entity"


def _laid(start: str, edges: Sequence[Edge]) -> Path:
    path = Path((start,))
    for edge in edges:
        path = path.then(edge)
    return path


def path_view(path: Path, episode: Episode) -> AnswerPath:
    """A walk with its steps."""
    steps = tuple(
        PathStep(step=place, from_node=start, to_node=end, relation=edge.relation, action="CONTINUE")
        for place, (start, end, edge) in enumerate(zip(path.nodes, path.nodes[1:], path.edges, strict=False), start=1)
    )
    return AnswerPath(
        id=path_id(path),
        nodes=tuple(_node_view(episode.subgraph.nodes, node) for node in path.nodes),
        edges=tuple(_edge_view(edge) for edge in path.edges),
        steps=steps,
        answer=path.end if path.edges else None,
    )


def _kept_paths(episode: Episode, node: str) -> list[Path]:
    front = episode.front
    assert front is not None  # noqa: S101 -- the only caller has checked
    kept = list(islice(front.paths(node), PATHS_OF_AN_ANSWER))
    supported = episode.supporting_path(node)
    if supported is not None and supported not in kept:
        kept[-1] = supported
    return kept


def _name(nodes: Mapping[str, Node], node: str) -> str:
    return nodes[node].name if node in nodes else node


def _node_view(nodes: Mapping[str, Node], node: str) -> AnswerNode:
    return AnswerNode(id=node, name=_name(nodes, node))


def _edge_view(edge: Edge) -> AnswerEdge:
    return AnswerEdge(from_node=edge.source, relation=edge.relation, to_node=edge.target)


class Reporter:
    """Tells what an episode found and writes it down after the answer, never before it.

    Args:
        provenance: finds out where evidence comes from.
        runs: writes runs in the background.
        default_scope: whose a run is that read several scopes (where the caller may write it), and whose bare strings
            are.
        enabled: whether runs are recorded at all.
    """

    def __init__(
        self, provenance: Provenance, runs: RunRecorder, *, default_scope: str = "public", enabled: bool = True
    ) -> None:
        self._provenance = provenance
        self._runs = runs
        self._default_scope = default_scope
        self._enabled = enabled

    async def origins(self, finished: Finished) -> tuple[Mapping[str, UnitOrigin], float]:
        """Where the picked units come from, and the milliseconds that it took to read it."""
        started = time.perf_counter()
        found = await self._provenance.origins(_picks(finished.episode), finished.asked.view)
        return found, (time.perf_counter() - started) * 1000

    def evidence(self, finished: Finished, origins: Mapping[str, UnitOrigin]) -> list[EvidenceRecord]:
        """The picked units with full provenance, in the order of picking."""
        return self._evidence(
            finished.episode, finished.asked.question, origins, self._scope(finished.asked.view.scopes)
        )

    async def curated(
        self, episode: Episode, question: Question, scopes: Sequence[str], *, caller: Caller, enable: bool
    ) -> tuple[list[SelectedEvidence], float]:
        """The picks of /curate. Their evidence is written to the only scope of `scopes`, else to the default one, where
        the caller may write there."""
        started = time.perf_counter()
        scope = self._scope(scopes)
        records = self._evidence(episode, question, {}, scope)
        if enable and self._enabled and caller.may_write(scope):
            self._runs.later(None, records)
        return shown(records, enable=enable), (time.perf_counter() - started) * 1000

    def _evidence(
        self, episode: Episode, question: Question, origins: Mapping[str, UnitOrigin], scope: str
    ) -> list[EvidenceRecord]:
        scored, price = _scores(episode, question), question.prices.token
        return self._provenance.of(_picks(episode), *scored, origins, price=price, scope=scope)

    def receipt(self, finished: Finished) -> Receipt:
        """For each resource: budget, spent, price, what stopped its agent, and the best thing left out."""
        steps = step_records(finished.episode.log, finished.episode.pool, _left_out(finished))
        budgets, prices = finished.episode.budgets, finished.asked.question.prices
        return make_receipt(steps, budgets, prices)

    def record(
        self,
        request: CoordinationRequest,
        finished: Finished,
        response: CoordinationResponse,
        evidence: Sequence[EvidenceRecord],
        caller: Caller,
        *,
        fallbacks: tuple[str, ...] = (),
    ) -> CoordinationResponse:
        """The response with its run's id; the run is written in the background. `fallbacks`: what was gone without."""
        scopes = finished.asked.view.scopes
        scope = scopes[0] if len(scopes) == 1 else caller.home(self._default_scope)
        if not (request.record and self._enabled and caller.may_write(scope)):
            return response
        kept = own(evidence, caller, scope) if request.enable_provenance else ()
        run = self._run(request, finished, response, kept, scope, fallbacks=fallbacks)
        self._runs.later(run, kept)
        return response.model_copy(update={"run_id": run.id})

    def _run(
        self,
        request: CoordinationRequest,
        finished: Finished,
        response: CoordinationResponse,
        evidence: Sequence[EvidenceRecord],
        scope: str,
        *,
        fallbacks: tuple[str, ...],
    ) -> RunRecord:
        asked, episode = finished.asked, finished.episode
        return RunRecord(
            id=self._runs.ids(),
            scope=scope,
            scopes=asked.view.scopes,
            query=request.query,
            request=request.model_dump(mode="json"),
            digest=digest_of(response),
            policy=finished.policy.name,
            seeds=tuple(SeedNode(id=s.id, name=s.name, score=s.score, reason=s.reason) for s in asked.seeds),
            budgets=episode.budgets,
            prices=asked.question.prices,
            as_of_valid=asked.view.as_of_valid,
            as_of_recorded=asked.view.as_of_recorded,
            recorded_at=self._runs.now(),
            steps=tuple(step_records(episode.log, episode.pool, _left_out(finished))),
            evidence=tuple(record.id for record in evidence),
            answers=_recorded(finished, evidence),
            doubt=_doubt(finished),
            fallbacks=fallbacks,
            rests=frozenset((*(seed.id for seed in asked.seeds), *episode.grounds)),
        )

    def _scope(self, scopes: Sequence[str]) -> str:
        return scopes[0] if len(scopes) == 1 else self._default_scope


def _doubt(finished: Finished) -> float:
    if finished.abstained:
        return 1.0
    return min(1.0, max(0.0, 1 - max(answer.answer_score for answer in finished.answers)))


def _recorded(finished: Finished, evidence: Sequence[EvidenceRecord]) -> tuple[RecordedAnswer, ...]:
    """The best answers with the evidence of their walks and statements, if cited; withheld ones may be judged too."""
    walks = {path.id: path for path in finished.paths}
    found = []
    for answer in finished.read[:MOST_RECORDED]:
        edges = [edge for key in answer.path_ids if key in walks for edge in walks[key].edges]
        units = {answer.statement, *(edge_unit_id(Edge(one.from_node, one.relation, one.to_node)) for one in edges)}
        mine = tuple(record.id for record in evidence if record.unit in units)
        found.append(
            RecordedAnswer(node=answer.node, name=answer.name, reader_score=answer.answer_score, evidence=mine)
        )
    return tuple(found)


def shown(records: Sequence[EvidenceRecord], *, enable: bool) -> list[SelectedEvidence]:
    """Evidence as a response shows it; the provenance field is null where it was not asked for."""
    if enable:
        return [record.selected for record in records]
    return [record.selected.model_copy(update={"provenance": None}) for record in records]


def _picks(episode: Episode) -> list[Unit]:
    return [episode.pool[place] for place in episode.picked]


def _scores(episode: Episode, question: Question) -> tuple[list[float], list[float]]:
    """(scores, cosines with the query) of the picks: a policy's own score where it gave one, else the cosine."""
    similarities = [float(value) for value in unit_vectors(_picks(episode), question) @ question.embedding]
    given = {step.action.unit: step.score for step in episode.log if isinstance(step.action, Pick)}
    scores = [
        similarity if (score := given.get(place)) is None else score
        for place, similarity in zip(episode.picked, similarities, strict=True)
    ]
    return scores, similarities


def _left_out(finished: Finished) -> dict[Agent, list[LeftOut | None]]:
    return {agent: [turn.left_out for turn in turns] for agent, turns in finished.turns.items()}
