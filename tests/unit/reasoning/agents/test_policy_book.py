"""The book of policies: what came later is found by name, and what cannot decide leaves the default."""

from __future__ import annotations

from typing import Any

import pytest

from clause.errors import BadInputError, NotFoundError
from clause.reasoning.agents.heuristic import HeuristicPolicy
from clause.reasoning.agents.policy import PolicyBook


class Broken(HeuristicPolicy):
    """A policy whose file is damaged, until it is mended."""

    mended = False

    def warm(self) -> None:
        if not self.mended:
            raise BadInputError("the file is damaged")


@pytest.fixture
def book() -> PolicyBook:
    later: dict[str, Any] = {"later": HeuristicPolicy, "broken": Broken}
    return PolicyBook({"rules": HeuristicPolicy}, default="rules", find=later.get)


async def test_a_policy_that_came_later_is_found_once(book: PolicyBook) -> None:
    assert await book.chosen(None) is book["rules"]
    assert await book.chosen("later") is book["later"]
    assert book.names == ("later", "rules")


async def test_what_is_away_or_broken_leaves_the_default_and_says_why(book: PolicyBook) -> None:
    assert await book.chosen("nobody") is book["rules"]
    assert await book.chosen("broken") is book["rules"]
    assert "no policy is called 'nobody'" in (await book.problem("nobody") or "")
    assert await book.problem("broken") == "the file is damaged"
    with pytest.raises(NotFoundError, match="known"):
        book["nobody"]


async def test_a_file_that_was_mended_decides(book: PolicyBook, monkeypatch: pytest.MonkeyPatch) -> None:
    await book.chosen("broken")
    monkeypatch.setattr(Broken, "mended", True)
    assert await book.chosen("broken") is book["broken"]


async def test_other_weights_under_the_name_are_read_anew_and_gone_ones_are_known_no_more() -> None:
    lying = {"films": "one"}
    book = PolicyBook(
        {"rules": HeuristicPolicy},
        default="rules",
        find=lambda name: HeuristicPolicy if name in lying else None,
        version=lambda name: lying.get(name, ""),
    )
    first = book["films"]
    assert await book.problem("films") is None
    assert await book.chosen("films") is first
    lying["films"] = "other"
    second = await book.chosen("films")
    assert second is not first
    assert book["films"] is second
    del lying["films"]
    assert "no policy is called 'films'" in (await book.problem("films") or "")
    assert book.names == ("rules",)


async def test_weights_that_change_while_they_are_read_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lying, warmed = {"films": "one"}, []

    def warm(policy: HeuristicPolicy) -> None:
        lying["films"] = "other"
        warmed.append(policy)

    monkeypatch.setattr(HeuristicPolicy, "warm", warm)
    book = PolicyBook(
        {"films": HeuristicPolicy}, default="films", find=lambda _name: HeuristicPolicy, version=lying.__getitem__
    )
    assert await book.problem("films") is None
    assert await book.problem("films") is None
    assert warmed[0] is not warmed[1]
    assert warmed[1] is book["films"]
