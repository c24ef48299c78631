"""Experiences of known groups, made by a seeded generator: what a retrospective looks at.

Each has remarks of its own, as agents make them, so that only what the group has in common is left in its centroid.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True)
class Group:
    """Experiences of one kind."""

    name: str
    domain: str
    strategy: str
    goal: str
    hypothesis: str
    action: str
    prediction: str
    result: str
    surprise: str
    cause: str
    lesson: str


GROUPS = (
    Group(
        "imports", "debugging", "read-the-error",
        "make the {when} import of the {what} file pass again",
        "the {what} file holds rows in a form that the importer does not know",
        "look at the first row of the {what} file on which the import fails",
        "the failing row has a date or a number in another form",
        "the import of the {what} file failed on a second header row in the middle of the file",
        "the header row of the {what} file was repeated after some thousand rows",
        "nobody had looked at the rows of the import file before changing the importer",
        "look at the failing row of the import file before changing the importer",
    ),
    Group(
        "caches", "performance", "check-assumptions",
        "make the {what} page load faster {when}",
        "the {what} page is slow because its database query is not cached",
        "put a cache before the database query of the {what} page and measure the load time",
        "the {what} page loads in half the time with the cache",
        "the cache was never hit, and the {what} page was as slow as before",
        "the cache key of the {what} page held the time of day, so no request found it",
        "the cache key was never checked, only the load time of the page",
        "measure the hits of the cache before believing that a page is cached",
    ),
    Group(
        "clocks", "testing", "systematic-elimination",
        "make the flaky test of the {what} scheduler pass {when}",
        "the test of the {what} scheduler fails because two threads race",
        "run the {what} scheduler test a hundred times with one thread",
        "the flaky test never fails with a single thread",
        "the {what} scheduler test failed at midnight with one thread too",
        "the flaky test read the real clock of the machine and crossed midnight",
        "the scheduler test used the wall clock in place of a clock of its own",
        "give a scheduler test a clock of its own, never the real one",
    ),
    Group(
        "secrets", "security", "research-first",
        "let the {what} service sign in with the rotated password {when}",
        "the {what} service still has the old password in its configuration file",
        "compare the password in the vault with the one that the {what} service sends",
        "the {what} service sends the old password and is refused",
        "the password was right, but the {what} service had no permission on the vault role",
        "the sign-in was refused because of the vault role and not because of the password",
        "the error of the sign-in was taken for a wrong password without reading the role",
        "read which role a sign-in asks for before rotating its password",
    ),
    Group(
        "layouts", "feature", "divide-and-conquer",
        "show the {what} chart on small screens {when}",
        "the {what} chart is cut off because its column has a fixed width",
        "let the column of the {what} chart shrink with the width of the screen",
        "the whole {what} chart is visible on a telephone screen",
        "the {what} chart shrank, but its legend still pushed it off the screen",
        "the legend of the chart kept its width while the chart itself shrank",
        "only the chart was tried on a small screen, never the chart with its legend",
        "try a chart together with its legend on a small screen",
    ),
)  # fmt: skip

_WHAT = [
    "supplier",
    "customer",
    "invoice",
    "stock",
    "payment",
    "delivery",
    "contract",
    "price",
    "order",
    "account",
    "region",
    "partner",
]
_WHEN = [
    "at night",
    "on Mondays",
    "this week",
    "after the release",
    "before the audit",
    "in the new region",
    "for the branch",
]
_REMARKS = (
    "Ann had asked for it twice",
    "the logs were forty pages long",
    "nobody was on call",
    "it had worked in spring",
    "the old notes did not help",
    "a colleague in Lisbon saw it too",
    "the dashboard showed nothing",
    "it took all morning",
    "the ticket had been open for weeks",
    "two releases depended on it",
    "the manual was out of date",
    "we had tried something like it before",
    "the staging machine was down",
    "it only happens to large customers",
    "the budget for it is small",
    "somebody had restarted everything",
    "the alarm rang at four",
    "Bob was on holiday",
    "the first attempt had been undone",
    "the vendor denied everything",
    "a demo was planned for Friday",
    "the screen was photographed",
    "the numbers came from a spreadsheet",
    "the branch was three weeks old",
)
_STATUS = ("falsified", "falsified", "falsified", "confirmed", "abandoned")


def told(group: Group, draw: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Bodies for starting and for resolving one experience of a group."""
    slots = {"what": draw.choice(_WHAT), "when": draw.choice(_WHEN)}
    remarks = iter(draw.sample(_REMARKS, 3))
    start = {name: getattr(group, name).format(**slots) for name in ("goal", "hypothesis", "action", "prediction")}
    start |= {name: f"{start[name]}; {next(remarks)}" for name in ("goal", "action")}
    status = draw.choice(_STATUS)
    resolve: dict[str, Any] = {
        "status": status,
        "result": f"{group.result.format(**slots)}; {next(remarks)}",
        "lesson": {"what_worked": group.lesson},
        "auto_captured": draw.random() < 0.3,
    }
    if status == "falsified":
        cause = {"category": "wrong-assumption", "description": group.cause}
        resolve |= {"surprise": group.surprise.format(**slots), "root_cause": cause}
    return {"domain": group.domain, "strategy": group.strategy, **start}, resolve


def experiences(count: int, seed: int = 0) -> list[tuple[Group, dict[str, Any], dict[str, Any]]]:
    """`count` experiences, the groups in turn and then shuffled: group, body of the start, body of the end."""
    draw = Random(seed)
    made = [(group, *told(group, draw)) for group in (GROUPS[i % len(GROUPS)] for i in range(count))]
    draw.shuffle(made)
    return made
