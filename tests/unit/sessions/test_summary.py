"""Extractive summaries: sentences, centrality, and what fits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.ground import Ground
from clause.sessions.patterns import CAP, reinforced
from clause.sessions.summary import LONGEST, Summarizer, central, joined, sentences
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.embedder import HashEmbedder


@given(st.lists(st.text(max_size=200), max_size=6))
def test_a_summary_is_made_of_whole_sentences_that_were_said(texts: list[str]) -> None:
    found = sentences(texts)
    assert len(set(found)) == len(found)
    assert all(any(sentence in text for text in texts) for sentence in found)


def test_code_fragments_and_repetitions_are_no_sentences() -> None:
    said = ["Look at this:\n```\nthe code is not a sentence.\n```\n- It is fixed now, finally.\nok", "Yes."]
    assert sentences([*said, *said]) == ["Look at this:", "It is fixed now, finally."]


def test_long_lines_are_split_in_pieces_from_the_end_until_enough_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sentences([]) == []
    segmenter = sys.modules["pysbd"].Segmenter
    lengths, split = list[int](), segmenter.segment

    def measured(self: object, text: str) -> list[str]:
        lengths.append(len(text))
        parts: list[str] = split(self, text)
        return parts

    monkeypatch.setattr(segmenter, "segment", measured)
    told = [f"Step {number} of the plan is to move shelf {number} to the cellar." for number in range(2_000)]
    assert sentences(["Said long before.", " ".join(told)]) == told[-300:]
    assert max(lengths) <= 2_001
    assert sum(lengths) < 30_000
    lengths.clear()
    assert sentences([" ".join(told), *["without an end " * 10_000] * 400, "Here it ends."]) == [
        *told[-299:],
        "Here it ends.",
    ]
    assert sum(lengths) < 30_000
    lengths.clear()
    assert sentences([*told, "so? " * 100_000]) == []
    assert sum(lengths) < 110_000


def test_the_sentence_that_most_others_are_near_is_chosen_first() -> None:
    near = np.array([[1, 0.6, 0.6, 0], [0.6, 1, 0.1, 0], [0.6, 0.1, 1, 0], [0, 0, 0, 1]], dtype=np.float32)
    assert central(near, 1) == [0]
    assert central(near, 9) == [0, 1, 2, 3]
    assert central(np.ones((1, 1), dtype=np.float32)) == [0]


@given(st.lists(st.text(min_size=1, max_size=300), min_size=1, max_size=5))
def test_a_summary_is_never_too_long(parts: list[str]) -> None:
    assert len(joined(parts)) <= LONGEST


async def test_nothing_said_has_no_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = CpuPool(1)
    work, run = list[str](), pool.run

    async def measured(each: Callable[..., Any], *given: Any) -> Any:
        work.append(each.__name__)
        return await run(each, *given)

    ground = Ground(None, HashEmbedder(), None, pool, Settings(home=tmp_path), Metrics())
    summarizer = Summarizer(ground)
    assert await summarizer.summary(["ok", "```code```"]) is None
    said = ["The build uses one lock file. The lock file has hashes. We had soup for lunch."]
    with monkeypatch.context() as patch:
        patch.setattr(pool, "run", measured)
        summary = await summarizer.summary(said)
    assert work == ["sentences", "cosine_matrix", "central"]
    assert summary is not None
    assert all(part in said[0] for part in summary.split(". "))
    pool.close()


@given(st.floats(0, 1))
def test_reinforcement_rises_and_stays_below_the_cap(confidence: float) -> None:
    once = reinforced(confidence)
    assert once <= CAP
    assert once >= min(confidence, CAP)


@pytest.mark.parametrize(("times", "expected"), [(1, 0.55), (2, 0.595), (200, CAP)])
def test_reinforcement_follows_the_ladder(times: int, expected: float) -> None:
    confidence = 0.5
    for _ in range(times):
        confidence = reinforced(confidence)
    assert confidence == pytest.approx(expected)


ENDS = [
    ["Prof. Lind called the ward at six.", "Nobody picked up the phone."],
    ["The parcel from Brook & Co. is missing.", "Please write to them."],
    ["Use the spare key, i.e. the brass one, for the shed.", "Hang it up again."],
    ["K. T. Aho leads the choir.", "She sings alto herself."],
    ["The ferry leaves at 7 p.m. on Sundays.", "Be there early."],
    ["Wait for the green light!", "Is the bridge down?", "Then drive on slowly."],
    ["Costs fell 2.5 percent vs. the plan.", "Nobody expected that."],
    ["See Fig. 4 for the valve.", "The pump is on page nine."],
]


@pytest.mark.parametrize("told", ENDS, ids=lambda told: told[0][:24])
def test_a_dot_inside_a_sentence_does_not_end_it(told: list[str]) -> None:
    assert sentences([" ".join(told)]) == told


def test_marks_of_a_list_go_and_letters_stay() -> None:
    assert sentences(["- the tests wait\n* take the last boat"]) == ["the tests wait", "take the last boat"]
    assert sentences(["他在 花园里 工作 了 很久。她在 屋里 读书 到 很晚。"]) == [
        "他在 花园里 工作 了 很久。",
        "她在 屋里 读书 到 很晚。",
    ]
