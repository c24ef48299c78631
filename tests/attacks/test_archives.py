"""Archives as an attacker writes them, with right checksums: an own scope comes out of one, or nothing at all."""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import json
import os
import resource
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clause.errors import BadInputError, ClauseError, ConflictError
from clause.graph.canonical import combined, packed, scope_hash
from clause.graph.runner import Graph
from clause.operations import archive, archive_lines
from clause.operations.archive import Archive, export_scope
from clause.operations.restoration import import_archive
from tests.servers import erase_scope, statement

SCOPE = "user:mallory"
SESSION = "01JD0000000000000000000000"
AT = {"$instant": "2026-01-02T00:00:00+00:00"}
Form = dict[str, Any]


def node(label: str, identity: str, scope: str = SCOPE, **properties: Any) -> Form:
    """A node's line."""
    return {"node": [label], "id": identity, "properties": {"id": identity, "scope": scope, **properties}}


def link(name: str, start: list[str], end: list[str], **properties: Any) -> Form:
    """A relationship's line."""
    return {"relationship": name, "start": start, "end": end, "properties": properties}


WHOLE: Form = {
    "confirmed_at": AT,
    "content": "I am honest",
    "content_hash": "0" * 64,
    "decay": "year",
    "extraction_method": "api",
    "open_tensions": 0,
    "overall": 0.5,
    "recorded_at": AT,
    "signal": "decision",
    "source_id": "src_1",
    "source_kind": "user_input",
    "sources": 1,
    "stage": "tentative",
    "statements": 1,
    "status": "active",
    "version": 1,
    "visibility": "private",
}
HONEST = [
    node("Belief", "m-b", **WHOLE),
    link("ABOUT", ["Belief", "m-b", SCOPE], ["Entity", "m-e", SCOPE], scope=SCOPE),
    node("Entity", "m-e", name="me", canonical_key="concept:me", recorded_at=AT),
    node("Scope", SCOPE, recorded_at=AT),
]


def text_of(form: Form) -> bytes:
    """A line in the canonical spelling."""
    return json.dumps(form, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def written(path: Path, lines: list[Form | bytes], scope: str = SCOPE, **header: Any) -> Path:
    """An archive with the right counts, hash and checksum, whatever stands in its lines."""
    head = {
        "clause": "1", "clause_archive": 1, "created_at": "2026-01-02T00:00:00Z", "dimension": 384,
        "embedding_model": None, "scope": scope, **header,
    }  # fmt: skip
    texts = [text_of(head), *(line if isinstance(line, bytes) else text_of(line) for line in lines)]
    forms = [line for line in lines if not isinstance(line, bytes)]
    kept = [hashlib.sha256(text_of(form)[:-1]).digest() for form in forms if "borrowed" not in form]
    footer = {
        "borrowed": sum("borrowed" in form for form in forms),
        "canonical": combined(kept),
        "end": len(texts),
        "nodes": sum("node" in form for form in forms),
        "relationships": sum("relationship" in form for form in forms),
        "sha256": hashlib.sha256(b"".join(texts)).hexdigest(),
    }
    path.write_bytes(b"".join([*texts, text_of(footer)]))
    return path


def without(name: str) -> list[Form | bytes]:
    """The honest lines, a property less in the belief."""
    return changed(0, lambda form: form["properties"].pop(name))


def changed(place: int, change: Callable[[Form], object]) -> list[Form | bytes]:
    """The honest lines, one of them changed."""
    lines: list[Any] = copy.deepcopy(HONEST)
    change(lines[place])
    return lines


def _with(**properties: Any) -> Callable[[Form], object]:
    return lambda form: form["properties"].update(properties)


VECTOR = {"$f32": base64.b64encode(np.ones(384, dtype="<f4").tobytes()).decode()}
BOB = ["Belief", "bob-b", "user:bob"]
ME = ["Entity", "m-e", SCOPE]
CRAFTED: dict[str, list[Form | bytes]] = {
    "an API key": [*HONEST, node("ApiKey", "k", secret_hash="0" * 64, reads_all=True, writes_all=True)],
    "a job": [*HONEST, node("Job", "j", kind="load_sample", state="queued")],
    "an idempotency key": [*HONEST, node("IdempotencyKey", "j", response="{}")],
    "a migration": [*HONEST, node("SchemaVersion", "V9999", checksum="x")],
    "an embedding model": [*HONEST, node("EmbeddingModel", "embedding", model="evil")],
    "the mark of a test database": [*HONEST, node("TestDatabase", "clause")],
    "a label of nobody's": [*HONEST, node("Evil", "e")],
    "a label with a backtick": [*HONEST, node("Belief`:ApiKey", "e")],
    "two labels": changed(0, lambda form: form["node"].append("Entity")),
    "no label": changed(0, lambda form: form["node"].clear()),
    "a node of another tenant": [*HONEST, node("Belief", "x", **{**WHOLE, "scope": "user:bob"})],
    "a node of a scope that begins like it": [*HONEST, node("Belief", "x", **{**WHOLE, "scope": f"{SCOPE}/session:1"})],
    "a node of no scope": changed(0, lambda form: form["properties"].pop("scope")),
    "a node whose id is another's": changed(0, _with(id="bob-b")),
    "another scope's own node": [*HONEST, node("Scope", "user:bob")],
    "a node twice": [*HONEST, HONEST[0]],
    "a property with a space": changed(0, _with(**{"a b": 1})),
    "a property in capitals": changed(0, _with(Content="x")),
    "a property in backticks": changed(0, _with(**{"a`": 1})),
    "a map in a property": changed(0, _with(content={"a": 1})),
    "a list of lists": changed(0, _with(content=[[1]])),
    "a mixed list": changed(0, _with(content=[1, "a"])),
    "a null": changed(0, _with(content=None)),
    "a confidence above one": changed(0, _with(overall=1.5)),
    "a confidence in words": changed(0, _with(overall="high")),
    "a negative ceiling": changed(0, _with(ceiling=-0.1)),
    "instants in words": changed(0, _with(ends_at=["2026"])),
    "one instant for many": changed(0, _with(ends_at=AT)),
    "an instant in words": changed(0, _with(recorded_at="2026")),
    "a number of 70 bits": changed(0, _with(version=2**70)),
    "a vector of another length": changed(0, _with(embedding=packed([0.5] * 20))),
    "a vector with NaN": changed(0, _with(embedding=packed([float("nan")] * 384))),
    "a vector of words": changed(0, _with(embedding=["a"])),
    "numbers that are no base64": changed(0, _with(embedding={"$f32": "***"})),
    "an unknown mark": changed(0, _with(content={"$cypher": "x"})),
    "a day for an instant": changed(0, _with(recorded_at={"$date": "2026-01-02"})),
    "a day in a node": [*HONEST, node("Memory", "m-m", content={"$date": "2026-01-02"})],
    "a day in a relationship of ours": changed(1, _with(weight={"$date": "2026-01-02"})),
    "a day in other letters": [*HONEST, link("KNOWS", ME, ME, since={"$date": "20260102"})],
    "a loaded property with a NUL": [*HONEST, link("KNOWS", ME, ME, **{"a\0b": 1})],
    "a loaded property that is a map": [*HONEST, link("KNOWS", ME, ME, since={"a": 1})],
    "a loaded relationship since a word": [*HONEST, link("KNOWS", ME, ME, valid_from="2026")],
    "a further field": changed(0, lambda form: form.update(extra=1)),
    "a relationship without its start": [HONEST[1], *HONEST[2:]],
    "a relationship without its end": [*HONEST[:2], HONEST[3]],
    "a relationship from another tenant": [*HONEST, link("ABOUT", BOB, ["Entity", "m-e", SCOPE])],
    "a relationship of another scope": changed(1, _with(scope="user:bob")),
    "a relationship from a key": [*HONEST, link("ABOUT", ["ApiKey", "k", SCOPE], ["Entity", "m-e", SCOPE])],
    "a word of one's own between beliefs": [*HONEST, link("owns", ["Belief", "m-b", SCOPE], ["Entity", "m-e", SCOPE])],
    "a relationship without a type": changed(1, lambda form: form.update(relationship="")),
    "a type with a NUL": changed(1, lambda form: form.update(relationship="a\0b")),
    "another scope's counter": [*HONEST, node("Counter", "user:bob/memory", clusters=7)],
    "the counter of all": [*HONEST, node("Counter", "public/value_clock", value=1)],
    "a counter of an own session": [*HONEST, node("Counter", f"{SCOPE}/session:1/memory", clusters=7)],
    "a counter of a session in another scope": [*HONEST, node("Counter", f"user:bob/captures:{SESSION}", value=1)],
    "a counter of half a session": [*HONEST, node("Counter", f"{SCOPE}/captures:{SESSION[:20]}", value=1)],
    "a counter below a session's": [*HONEST, node("Counter", f"{SCOPE}/captures:{SESSION}/memory", value=1)],
    "a counter without a name": [*HONEST, node("Counter", f"{SCOPE}/", value=7)],
    "a counter of a scope alone": [*HONEST, node("Counter", "memory", value=7)],
    "a counter that is full": [*HONEST, node("Counter", f"{SCOPE}/memory", value=2**63 - 1)],
    "a counter below nothing": [*HONEST, node("Counter", f"{SCOPE}/memory", value=-1)],
    "a policy for all": [*HONEST, node("Policy", "lc-mappo", sha256="0" * 64)],
    "a label in other letters": [*HONEST, node("belief", "x")],
    "a label with a blank": [*HONEST, node("Belief ", "x")],
    "an id of a megabyte": [*HONEST, node("Belief", "x" * (1 << 20), **WHOLE)],
    "an id with a NUL": [*HONEST, node("Belief", "x\0y", **WHOLE)],
    "an id that is a number": changed(0, lambda form: form.update(id=1)),
    "a scope that is a list": changed(0, _with(scope=[SCOPE])),
    "a truth for a confidence": changed(0, _with(overall=True)),
    "a confidence that is none": changed(0, _with(c_corroboration={"$float": "nan"})),
    "a thousand properties": changed(0, _with(**{f"p{number}": 1 for number in range(1000)})),
    "a property of 65 letters": changed(0, _with(**{"p" * 65: 1})),
    "a property with a dash": changed(0, _with(**{"a-b": 1})),
    "a text of five megabytes": changed(0, _with(content="x" * 5_000_000)),
    "an instant with no zone": changed(0, _with(recorded_at={"$instant": "2026-01-01T00:00:00"})),
    "an instant beyond the calendar": changed(0, _with(recorded_at={"$instant": "99999-01-01T00:00:00+00:00"})),
    "two marks in one value": changed(0, _with(recorded_at={"$instant": AT["$instant"], "$f32": ""})),
    "a relationship and a node in one": [*HONEST, {**node("Belief", "x", **WHOLE), **HONEST[1]}],
    "a borrowed node with two labels": [
        *HONEST,
        {"borrowed": ["Belief", "ApiKey"], "id": "x", "properties": {"id": "x"}},
    ],
    "a borrowed key": [*HONEST, {"borrowed": ["ApiKey"], "id": "x", "properties": {"id": "x", "scope": "public"}}],
    "a relationship to a key": [*HONEST, link("ABOUT", ["Belief", "m-b", SCOPE], ["ApiKey", "k", "public"])],
    "a relationship to a job": [*HONEST, link("ABOUT", ["Belief", "m-b", SCOPE], ["Job", "k", "public"])],
    "an end of two parts": changed(1, lambda form: form.update(end=["Entity", "m-e"])),
    "an end that is a text": changed(1, lambda form: form.update(end="m-e")),
    "a type of two thousand letters": changed(1, lambda form: form.update(relationship="A" * 2000)),
    "a type with a line": changed(1, lambda form: form.update(relationship="A\nB")),
    "a second header": [*HONEST, {"clause_archive": 1, "scope": "user:bob"}],
    "a second footer": [*HONEST, {"end": 1, "nodes": 0, "relationships": 0, "borrowed": 0}],
    "a blank before a line": [*HONEST, b" " + text_of(node("Belief", "x", **WHOLE))],
    "a mark of order": [*HONEST, b"\xef\xbb\xbf" + text_of(node("Belief", "x", **WHOLE))],
    "a carriage return": [*HONEST, text_of(node("Belief", "x", **WHOLE)).replace(b"\n", b"\r\n")],
    "escapes for letters": [*HONEST, text_of(node("Belief", "x", **WHOLE)).replace(b"Belief", b"\\u0042elief")],
    **{
        f"a belief without its {name}": without(name)
        for name in ("content", "status", "sources", "confirmed_at", "decay")
    },
    "a belief of no known standing": changed(0, _with(status="holy")),
    "a belief of no known signal": changed(0, _with(signal="revelation")),
    "a belief of fewer sources than none": changed(0, _with(sources=-1)),
    "a belief whose content is a number": changed(0, _with(content=1)),
    "a belief that never fades in its own way": changed(0, _with(decay="aeon")),
    "a session without an end or a beginning": [*HONEST, node("Session", "s")],
    "a session whose metadata are no JSON": [*HONEST, node("Session", "s", recorded_at=AT, metadata="{")],
    "a tension of nothing": [*HONEST, node("Tension", "t", status="detected")],
    "a pattern of nothing": [*HONEST, node("Pattern", "p", recorded_at=AT)],
    "an experience of nothing": [*HONEST, node("Experience", "x", goal="g")],
    "an experience whose history is no JSON": [*HONEST, node("Experience", "x", history=["{"])],
    "an insight of nothing": [*HONEST, node("Insight", "i")],
    "no JSON": [*HONEST, b"{\n"],
    "no object": [*HONEST, b"[]\n"],
    "an empty line": [*HONEST, b"\n"],
    "another spelling": [*HONEST, b'{"node": ["Belief"], "id": "x", "properties": {}}\n'],
    "a name twice": [
        *HONEST,
        b'{"id":"x","id":"y","node":["Belief"],"properties":{"id":"y","scope":"user:m"}}\n',
    ],
    "a depth of 100,000": [*HONEST, b"[" * 100_000 + b"]" * 100_000 + b"\n"],
    "a number without end": [*HONEST, b"1" * 10_000 + b"\n"],
    "bytes that are no text": [*HONEST, b"\xff\xfe\n"],
}


@pytest.mark.parametrize("lines", CRAFTED.values(), ids=list(CRAFTED))
def test_a_crafted_archive_is_refused_in_one_line_before_anything_is_written(
    tmp_path: Path, lines: list[Form | bytes]
) -> None:
    path = written(tmp_path / "crafted.jsonl", lines)
    with pytest.raises(BadInputError) as refused:
        Archive(path)
    assert "\n" not in str(refused.value)
    assert refused.value.field == "file"


@pytest.mark.parametrize(
    "header",
    [
        *(
            {"scope": "*"},
            {"scope": "user:a/b"},
            {"scope": ""},
            {"scope": "user:a\n"},
            {"scope": None},
            {"scope": ["public"]},
        ),
        *({"dimension": 10**9}, {"dimension": 0}, {"dimension": -1}, {"dimension": "many"}, {"dimension": 1.5}),
        *({"clause_archive": 99}, {"clause_archive": 0}, {"clause_archive": None}, {"owner": True}),
        *({"created_at": "yesterday"}, {"embedding_model": "x" * 501}, {"clause": "x" * 101}),
    ],
    ids=str,
)
def test_a_crafted_header_is_refused(tmp_path: Path, header: Form) -> None:
    with pytest.raises(BadInputError):
        Archive(written(tmp_path / "crafted.jsonl", list(HONEST), **header))


def test_an_honest_one_passes(tmp_path: Path) -> None:
    lines = [
        *changed(0, _with(valid_until=AT, superseded_at=AT, ends=[AT, AT], ends_at=[AT, AT])),
        node("Memory", "m-m", content="x", embedding=VECTOR),
        node("Counter", f"{SCOPE}/captures:{SESSION}", value=1, recorded_at=AT),
    ]
    found = Archive(written(tmp_path / "honest.jsonl", lines))
    assert [line.name for line in found.forms()] == ["Belief", "ABOUT", "Entity", "Scope", "Memory", "Counter"]


def test_a_loaded_relationship_keeps_what_it_said_under_its_own_names(tmp_path: Path) -> None:
    said = {
        "startDate": {"$date": "2020-01-01"},
        "opens": {"$time": "09:30:00.000000000"},
        "created_at": "May",
        "é-mail": 1,
    }
    lines = [*HONEST, link("KNOWS", ME, ME, scope=SCOPE, badge={"$bytes": "eA=="}, overall="high", **said)]
    *_, found = Archive(written(tmp_path / "loaded.jsonl", lines)).forms()
    assert (found.properties["startDate"], found.properties["badge"]) == (date(2020, 1, 1), b"x")
    assert packed(found.properties) == lines[-1]["properties"]


def _bomb(path: Path) -> Path:
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(written(path.with_name("one.jsonl"), list(HONEST)).read_bytes()[:300])
        for _ in range(600):
            file.write(b"\n" * (1 << 20))
    return path


def _zeros(path: Path) -> Path:
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
    return path


def _link(path: Path) -> Path:
    path.symlink_to(written(path.with_name("target.jsonl"), list(HONEST)))
    return path


def _garbage(path: Path) -> Path:
    path.write_bytes(b"\x1f\x8b" + b"x" * 1000)
    return path


def _half(path: Path) -> Path:
    packed_ = gzip.compress(written(path.with_name("one.jsonl"), list(HONEST)).read_bytes())
    path.write_bytes(packed_[: len(packed_) // 2])
    return path


def _twice(path: Path) -> Path:
    packed_ = gzip.compress(written(path.with_name("one.jsonl"), list(HONEST)).read_bytes())
    path.write_bytes(packed_ * 2)
    return path


def _trailing(path: Path) -> Path:
    path.write_bytes(written(path.with_name("one.jsonl"), list(HONEST)).read_bytes() + text_of(HONEST[0]))
    return path


def _empty(path: Path) -> Path:
    path.touch()
    return path


def _one_line(path: Path) -> Path:
    path.write_bytes(written(path.with_name("one.jsonl"), list(HONEST)).read_bytes().splitlines(keepends=True)[0])
    return path


def _fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: _bomb(folder / "bomb.jsonl.gz"),
        lambda folder: _zeros(folder / "zeros.jsonl.gz"),
        lambda folder: _link(folder / "link.jsonl"),
        lambda folder: _fifo(folder / "fifo.jsonl"),
        lambda _folder: Path("/dev/zero"),
        lambda folder: folder,
        lambda _folder: Path("/proc/self/mem"),
        lambda _folder: Path("/dev/stdin"),
        lambda folder: _garbage(folder / "a.jsonl.gz"),
        lambda folder: _half(folder / "a.jsonl.gz"),
        lambda folder: _twice(folder / "a.jsonl.gz"),
        lambda folder: _trailing(folder / "a.jsonl"),
        lambda folder: _empty(folder / "a.jsonl"),
        lambda folder: _one_line(folder / "a.jsonl"),
    ],
    ids=[
        *("a bomb", "a bomb in one line", "a link", "a pipe", "/dev/zero", "a folder", "memory", "standard input"),
        *("no gzip", "half of one", "two in one", "a line after the end", "nothing", "a header alone"),
    ],
)
def test_what_is_no_plain_file_or_never_ends_is_one_line_and_little_memory(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BadInputError) as refused:
        Archive(path)
    assert "\n" not in str(refused.value)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_a_line_that_never_ends_is_refused_at_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_lines, "MAX_LINE", 1_000)
    with pytest.raises(BadInputError, match="line 2 is too long"):
        Archive(written(tmp_path / "a.jsonl", [b"x" * 5_000 + b"\n"]))


def test_more_nodes_than_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_NODES", 3)
    with pytest.raises(BadInputError, match="too many nodes"):
        Archive(written(tmp_path / "a.jsonl", [node("Memory", str(i)) for i in range(5)]))


@pytest.fixture
async def bob(graph: Graph) -> Any:
    """Another tenant, and an entity for all; how both look."""
    make = statement(
        "CREATE (:Belief {id: 'bob-b', scope: 'user:bob', content: 'mine'}), "
        "(:Entity {id: 'public-e', scope: 'public', name: 'the sun'})"
    )
    drop = statement("MATCH (n) WHERE n.id IN ['bob-b', 'public-e', 'ghost'] DETACH DELETE n")
    await graph.execute(drop, {})
    await graph.execute(make, {})
    yield
    await erase_scope(graph, SCOPE)
    await graph.execute(drop, {})


_SEEN = statement(
    "MATCH (n) WHERE n.id IN ['bob-b', 'public-e', 'ghost'] "
    "RETURN n.id AS id, properties(n) AS properties, COUNT { (n)--() } AS degree ORDER BY id",
    mode="read",
    columns="id, properties, degree",
)


@pytest.mark.integration
async def test_nothing_outside_the_scope_is_touched(graph: Graph, bob: None, tmp_path: Path) -> None:
    before = await graph.execute(_SEEN, {})
    mine = ["Belief", "m-b", SCOPE]
    lines: list[Form | bytes] = [
        *HONEST,
        link("SUPERSEDES", mine, BOB),
        link("ABOUT", mine, BOB),
        link("DERIVED_FROM", mine, ["Entity", "public-e", "public"]),
        link("ABOUT", mine, ["Entity", "public-e", "kg:metaqa"]),
        link("ABOUT", mine, ["Entity", "ghost", "public"]),
        {"borrowed": ["Entity"], "id": "ghost", "properties": {"id": "ghost", "scope": "public", "name": "made up"}},
        {
            "borrowed": ["Belief"],
            "id": "bob-b",
            "properties": {"content": "stolen", "id": "bob-b", "scope": "user:bob"},
        },
    ]
    report = await import_archive(graph, written(tmp_path / "a.jsonl", lines))
    assert (report.nodes, report.relationships, report.left_out) == (3, 1, 5)
    assert await graph.execute(_SEEN, {}) == before


@pytest.mark.integration
async def test_which_entity_for_all_is_meant_comes_back(graph: Graph, bob: None, tmp_path: Path) -> None:
    meant = link("MENTIONS", ["Belief", "m-b", SCOPE], ["Entity", "public-e", "public"], scope=SCOPE)
    report = await import_archive(graph, written(tmp_path / "a.jsonl", [*HONEST, meant]))
    assert (report.relationships, report.left_out) == (2, 0)


@pytest.mark.integration
async def test_a_relationship_of_another_scope_that_older_versions_exported_is_left_out(
    graph: Graph, bob: None, tmp_path: Path
) -> None:
    me, you = (["Entity", name, SCOPE] for name in ("m-e", "m-f"))
    lines: list[Form | bytes] = [
        *HONEST,
        node("Entity", "m-f", name="you", canonical_key="concept:you", recorded_at=AT),
        link("owes money to", me, you, scope=f"{SCOPE}/session:7"),
        link("owes money to", me, you, scope="user:bob"),
        link("pays", me, you, scope=SCOPE),
    ]
    report = await import_archive(graph, written(tmp_path / "a.jsonl", lines))
    assert (report.nodes, report.relationships, report.left_out) == (4, 2, 2)


@pytest.mark.integration
async def test_an_id_of_another_tenants_is_refused_before_anything_is_written(
    graph: Graph, bob: None, tmp_path: Path
) -> None:
    before = await graph.execute(_SEEN, {})
    path = written(tmp_path / "a.jsonl", [*HONEST, node("Belief", "bob-b", **WHOLE)])
    with pytest.raises(ConflictError, match="another scope"):
        await import_archive(graph, path)
    assert (await scope_hash(graph, SCOPE)).nodes == 0
    assert await graph.execute(_SEEN, {}) == before


@pytest.mark.integration
async def test_an_archive_that_changes_while_it_is_read_is_checked_again(
    graph: Graph, bob: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.jsonl", list(HONEST))
    read: Callable[[Archive], Iterator[Any]] = Archive.forms

    def swapped(self: Archive) -> Iterator[Any]:
        written(path, [*HONEST[:3], node("Belief", "x", **{**WHOLE, "scope": "user:bob"})])
        return read(self)

    monkeypatch.setattr(Archive, "forms", swapped)
    with pytest.raises(ClauseError):
        await import_archive(graph, path)
    assert (await scope_hash(graph, SCOPE)).nodes == 0


@pytest.mark.integration
async def test_an_archive_is_for_its_owner_and_written_through_no_link(graph: Graph, bob: None, tmp_path: Path) -> None:
    await import_archive(graph, written(tmp_path / "a.jsonl", list(HONEST)))
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in (".out.jsonl.partial", "out.jsonl"):
        (tmp_path / name).symlink_to(precious)
    await export_scope(graph, tmp_path / "out.jsonl", SCOPE)
    assert precious.read_text() == "mine"
    assert not (tmp_path / "out.jsonl").is_symlink()
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o600
