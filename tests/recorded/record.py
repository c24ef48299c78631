"""Records what the service answers: `python -m tests.recorded.record OUT.json [--full]`.

A Neo4j of its own in a temporary home, `clause serve` on it, the films, then every story; drawn by one seed. Nothing
but HTTP and the command line is used, so that the same command records after any change of the package's layout.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx

from tests.faults.serving import serving
from tests.recorded import agent_stories, film_questions, knowledge_stories, learning_stories, reasoning_stories
from tests.recorded.film_questions import Films, Question
from tests.recorded.player import Player
from tests.recorded.service_stories import fill, look_at_health, outline, run_jobs
from tests.servers import environ_of, managed

SMALL = {"questions": 5, "n": 1, "of_each": 2, "of_a_group": 0}
FULL = {"questions": 100, "n": 20, "of_each": 20, "of_a_group": 100}
STILL = {
    "CLAUSE_MEMORY_CONSOLIDATE": "false",  # what the service does unasked comes when it comes
    "CLAUSE_PERIODIC_JOBS": "false",
    "CLAUSE_EMBEDDER_THREADS": "1",  # sums of floats in another order are other floats
    "OMP_NUM_THREADS": "1",
    "CLAUSE_CLUSTER_REDUCTION": "pca",  # umap compiles for half a minute
}


@contextmanager
def served(films: Films, *, sample: bool) -> Iterator[httpx.Client]:
    """A client of a service of our own that holds the films: the packaged sample, or the triples."""
    with managed() as address, tempfile.TemporaryDirectory(prefix="clause-recorded-") as folder:
        home = Path(folder)
        environ = environ_of(address, home / "home", **STILL)
        if not sample:
            load(films, home / "films.txt", environ)
        with serving(home, environ) as url, client(url) as http:
            play = Player(http)
            kind = "load_sample" if sample else "embed"
            play.finish(play.send("POST /api/jobs", {"kind": kind, "scope": reasoning_stories.GRAPH}))
            yield http


def client(url: str) -> httpx.Client:
    """A client that opens a connection for each request: an idle one may be closed just as the next one is sent."""
    return httpx.Client(base_url=url, timeout=600, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))


def load(films: Films, file: Path, environ: dict[str, str]) -> None:
    """The triples, put into the graph by the command line; their vectors are left to a job."""
    file.write_text("".join("|".join(fact) + "\n" for fact in films.triples), encoding="utf-8")
    command = ["load", "triples", str(file), "--scope", reasoning_stories.GRAPH, "--no-embed", "--json"]
    others = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    subprocess.run(
        [sys.executable, "-m", "clause.cli.main", *command], env={**others, **environ}, check=True, capture_output=True
    )


def play_all(http: httpx.Client, films: Films, size: dict[str, int], requests: dict[str, Any] | None) -> Player:
    """Every story in its order, then requests that are made from an outline; None: from the service's own."""
    play, n = Player(http), size["n"]

    def rng(name: str) -> Random:
        return Random(f"{film_questions.SEED} {name}")

    reasoning_stories.ask_questions(play, films.questions)
    play.settle()
    reasoning_stories.reason(play, films, rng("reason"), n)
    reasoning_stories.look_at_runs(play, n)
    reasoning_stories.think_along(play, n)
    knowledge_stories.tell_sources(play, rng("sources"), max(n, 2))
    knowledge_stories.tell_beliefs(play, rng("beliefs"), max(n, 6))
    knowledge_stories.settle_tensions(play, rng("tensions"), max(n, 2))
    knowledge_stories.know_entities(play, rng("entities"), n)
    knowledge_stories.undo_beliefs(play, rng("undo"), n)
    agent_stories.hold_sessions(play, rng("sessions"), n)
    agent_stories.see_patterns(play, rng("patterns"), n)
    agent_stories.keep_memories(play, rng("memories"), max(n, 3))
    learning_stories.have_experiences(play, rng("experiences"), n)
    learning_stories.form_values(play, n)
    learning_stories.have_insights(play, rng("insights"), max(n, 3))
    run_jobs(play, n)
    look_at_health(play, n)
    requests = requests or outline(play.document())
    fill(play, requests, film_questions.SEED, of_each=size["of_each"], of_a_group=size["of_a_group"])
    return play


def recording(
    films: Films, size: dict[str, int], *, sample: bool, requests: dict[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was asked and answered, and the OpenAPI document.

    `requests` is the outline of an earlier recording: with it the same is asked, whatever was added to the service.
    """
    with served(films, sample=sample) as http:
        play = play_all(http, films, size, requests)
        document = play.document()
        kept = {
            "questions": films.questions,
            "triples": [] if sample else films.triples,
            "size": size,
            "requests": requests or outline(document),
            "exchanges": play.exchanges,
        }
        return json.loads(json.dumps(kept)), document


def chosen(size: dict[str, int], *, sample: bool) -> Films:
    """The films of a recording, drawn from the shared data that CLAUSE_DATA names."""
    questions, facts = film_questions.dev_questions(size["questions"]), film_questions.all_facts()
    return Films(questions, facts if sample else film_questions.facts_around(questions, facts))


def read(path: Path) -> dict[str, Any]:
    """A recording from its file."""
    data = path.read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return found


def write(recorded: dict[str, Any], path: Path) -> None:
    """A recording into a file: one exchange a line, so that other tools find differences too."""
    exchanges = ",\n".join(json.dumps(one, sort_keys=True, ensure_ascii=False) for one in recorded["exchanges"])
    rest = {name: value for name, value in recorded.items() if name != "exchanges"}
    head = json.dumps(rest, ensure_ascii=False)  # unsorted: dice are thrown in the order of a schema's properties
    data = f'{head[:-1]}, "exchanges": [\n{exchanges}\n]}}\n'.encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


def films_of(recorded: dict[str, Any]) -> Films:
    """The films that a small recording was made with."""
    triples = [(head, relation, tail) for head, relation, tail in recorded["triples"]]
    return Films([Question(*question) for question in recorded["questions"]], triples)


def main() -> None:
    """Record, and say how many requests of each group that were."""
    parser = argparse.ArgumentParser(description="Record what the service answers.")
    parser.add_argument("out", type=Path, help="the recording; a name that ends in .gz is packed")
    parser.add_argument(
        "--full", action="store_true", help="300 questions on the whole sample, 20 requests an operation"
    )
    parser.add_argument("--openapi", type=Path, help="where the OpenAPI document goes")
    given = parser.parse_args()
    size = FULL if given.full else SMALL
    recorded, document = recording(chosen(size, sample=given.full), size, sample=given.full)
    write(recorded, given.out)
    if given.openapi:
        given.openapi.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    counts = Counter(exchange["operation"] for exchange in recorded["exchanges"])
    statuses = Counter(exchange["status"] for exchange in recorded["exchanges"])
    sys.stdout.write(
        f"{counts.total()} exchanges of {len(counts)} operations, by status {dict(sorted(statuses.items()))}\n"
    )


if __name__ == "__main__":
    main()
