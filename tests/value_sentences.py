"""One-sentence values, as agents write them, for experiences of known groups, and experiences told by hand.

`WRITTEN` holds for each group of `retro_experiences` sentences that fit it; every second one was kept aside while the
rule was mended. `VALUES_OF_TOLD` fit the experiences that were told by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

TELLINGS = Path(__file__).parent / "value_tellings.txt"
SECOND = Path(__file__).parent / "value_tellings_second.txt"

WRITTEN: dict[str, tuple[str, ...]] = {
    "imports": (
        "Look at the failing rows of an import file before touching the importer.",
        "When an import breaks, read the data first and the code second.",
        "A repeated header row can hide anywhere in an import file.",
        "Check the file an import chokes on for stray header rows.",
        "Never change an importer before you have seen the row it fails on.",
        "Import failures usually come from odd rows in the file, not from the importer.",
    ),
    "caches": (
        "Check that the cache is really hit before you trust it to make a page fast.",
        "Measure cache hits, not only page load times.",
        "A cache key that holds the time of day never hits.",
        "A slow page with a cache may simply never use it: look at the key.",
        "Do not believe a page is cached until you have counted the hits.",
        "Before adding a cache to a page, verify that its key stays the same between requests.",
    ),
    "clocks": (
        "Tests of schedulers must never read the real clock.",
        "Give every scheduler test a fake clock.",
        "A flaky scheduler test is more often about time than about threads.",
        "Suspect the wall clock before you suspect threads when a test is flaky.",
        "Inject the clock so that a test does not depend on midnight.",
        "A test that fails at midnight depends on the machine's time.",
    ),
    "secrets": (
        "A refused sign-in may be about permissions and not about the password.",
        "Read which vault role a service needs before rotating passwords.",
        "Check the role of a service in the vault when its sign-in is refused.",
        "When a service cannot sign in, look at its permissions before its password.",
        "Do not take every sign-in error for a wrong password.",
        "Before a password rotation, verify the permissions of the service on the vault.",
    ),
    "layouts": (
        "Try a chart with its legend on a small screen before shipping it.",
        "Test the whole chart on a telephone, legend included.",
        "The legend of a chart must shrink with the chart.",
        "A chart that fits a small screen alone may not fit with its legend.",
        "Small screens show what a fixed-width legend breaks.",
        "Check every part of a chart on narrow screens, not only the plot.",
    ),
}

VALUES_OF_TOLD: dict[str, tuple[str, ...]] = {
    "bread": (
        "Watch the dough and not the clock.",
        "Give dough the time it needs to ferment before it goes into the oven.",
        "Most failed loaves come from dough that was not ready when it was baked.",
        "Check proofing before you change the recipe of a bread.",
    ),
    "garden": (
        "Look at the soil and the roots before you treat a sick plant.",
        "Find out what a plant lacks before giving it fertiliser.",
        "Most trouble with plants comes from water and light, not from lack of food.",
        "Check moisture before watering plants.",
    ),
    "bicycles": (
        "Check the simple and cheap parts of a bicycle before replacing expensive ones.",
        "Look for wear and dirt before buying new bike parts.",
        "Inspect the wheel, chain and cables first when something on the bike misbehaves.",
        "Do not take a bicycle apart before finding where the noise or rubbing comes from.",
    ),
}

VALUES_OF_SECOND: dict[str, tuple[str, ...]] = {
    "alerts": (
        "An alert should only wake somebody when there is something to do at once.",
        "Delete or mend alerts that people have learnt to ignore.",
        "Every alert needs an owner and a runbook that is up to date.",
        "Measure which rules page most before changing thresholds.",
    ),
    "classroom": (
        "Find out what keeps a pupil from learning before setting more exercises.",
        "Give every pupil something to do instead of letting the class watch.",
        "Let pupils try something in pairs before they speak in front of the class.",
        "Check that pupils have understood a task before they go home with it.",
    ),
    "marathon": (
        "Rehearse food, water and pace in training before the race.",
        "Rest and easy runs are part of the training.",
        "Train for the race you will run and change nothing on race day.",
        "Raise your running load slowly and keep your body strong.",
    ),
    "suppliers": (
        "Never negotiate with a supplier without an alternative offer.",
        "Check samples and deliveries yourself before you trust a vendor.",
        "Get every promise of a supplier in writing and early.",
        "Understand what your vendor needs before you make him an offer.",
    ),
    "choir": (
        "Find out how the choir stands, breathes and hears itself before blaming a voice.",
        "Rehearse the way you will perform.",
        "Keep all singers busy during a rehearsal.",
        "Let singers practise at home with recordings and without scores.",
    ),
}
"""For the forty experiences of the second hand; the last two of each were kept aside."""

_FIELDS = ("goal", "hypothesis", "action", "prediction", "result", "surprise", "cause", "lesson")


def told_by_hand(file: Path = TELLINGS) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The experiences of a file: group, body of the start, body of the end."""
    made = []
    group = ""
    for block in file.read_text(encoding="utf-8").split("\n\n")[1:]:
        if block.startswith("== "):
            group = block.removeprefix("== ")
            continue
        told = dict(zip(_FIELDS, block.strip().splitlines(), strict=True))
        start = {"domain": "hobby", "strategy": "check-assumptions"} | {name: told[name] for name in _FIELDS[:4]}
        end = {
            "status": "falsified",
            "result": told["result"],
            "surprise": told["surprise"],
            "root_cause": {"category": "wrong-assumption", "description": told["cause"]},
            "lesson": {"what_worked": told["lesson"]},
        }
        made.append((group, start, end))
    return made
