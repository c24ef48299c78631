"""The frontier: rows, averages and paired differences, their tables and plots."""

import pytest

from clause.errors import BadInputError
from clause.evaluation.frontier import frontier_study, grid, priced
from clause.evaluation.harness import AnswerOutcome
from clause.evaluation.question_files import GoldQuestion
from clause.lab import report as frontier_report

QUESTIONS = [GoldQuestion(f"question {place}", ("right",)) for place in range(4)]


class Oracle:
    """Right from so many edges on; `late` needs twice as many."""

    def __init__(self, name, cell):
        self.name = name
        self._right = cell.budgets.edges >= (10 if name == "late" else 5) and cell.prices.edge < 1

    async def answer(self, question):
        answers = (("right", 1.0),) if self._right else ()
        return AnswerOutcome(answers, frozenset(name for name, _ in answers), edges=3, steps=2, tokens=7)


async def studied(**changes):
    given = {"limits": grid([5, 10], [64], [3, 6]), "prices": priced([0.01, 1.0]), "command": "clause evaluate"}
    return await frontier_study(Oracle, ["early", "late"], "late", QUESTIONS, **(given | changes))


async def test_every_cell_has_a_row_for_every_policy_and_the_difference_to_the_null():
    told = []
    found = await studied(progress=lambda done, total: told.append((done, total)))
    assert len(found["grid"]) == 8
    first = found["grid"][0]
    assert (first["policy"], first["edge_budget"], first["token_budget"], first["step_budget"]) == ("early", 5, 64, 3)
    assert first["difference"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert "difference" not in found["grid"][1]
    assert [row["supported_f1"] for row in found["prices"]] == [1.0, 1.0, 0.0, 0.0]
    assert found["prices"][0]["edge_price"] == 0.01
    assert told[-1] == (12, 12)


async def test_the_average_counts_cells_and_pairs_questions():
    average = (await studied())["average"]
    assert average["late"] == {"supported_f1": 0.5, "violations": 0}
    early = average["early"]
    assert early["supported_f1"] == 1.0
    assert early["difference"] == {"mean": 0.5, "low": 0.5, "high": 0.5}
    assert (early["cells"], early["significantly_above"], early["significantly_below"]) == (4, 2, 0)
    assert early["most_below"] == 0.0


async def test_without_limits_there_is_no_average():
    assert (await studied(limits=[]))["average"] == {}


async def test_tables_and_bars_show_what_was_measured():
    text = frontier_report.frontier_text(await studied())
    assert "| early | 100.00 | +50.00 points, 95 % interval +50.00 to +50.00 | 2 / 0 of 4 | 0 |" in text
    assert "| late | 50.00 | - | - | 0 |" in text
    assert f"   5 edges  late                         {' ' * 50} 0.0" in text
    assert f"  10 edges  late                         {'#' * 50} 100.0" in text
    assert text.endswith("`clause evaluate`")
    assert "| policy" in frontier_report.frontier_text(await studied(limits=[]))


async def test_a_picture_is_drawn_where_matplotlib_is_installed(tmp_path):
    frontier_report.draw(await studied(), tmp_path / "frontier.png")
    assert (tmp_path / "frontier.png").read_bytes().startswith(b"\x89PNG")


async def test_without_matplotlib_a_picture_is_refused_clearly(tmp_path, monkeypatch):
    monkeypatch.setattr(frontier_report, "find_spec", lambda _name: None)
    with pytest.raises(BadInputError, match="matplotlib"):
        frontier_report.draw(await studied(), tmp_path / "frontier.png")


class Doubter:
    """Withholds every answer."""

    def __init__(self, _name, _cell):
        pass

    async def answer(self, _question):
        return AnswerOutcome((("wrong", 0.3),), frozenset(), edges=3, steps=2, tokens=7, abstained=True)


async def test_to_withhold_is_right_where_nothing_answers():
    asked = [GoldQuestion("what nobody knows", ()), GoldQuestion("who", ("right",))]
    given = {"limits": grid([5], [64], [3]), "command": "clause evaluate"}
    found = await frontier_study(Doubter, ["early"], "late", asked, **given)
    assert {row["supported_f1"] for row in found["grid"]} == {0.5}
