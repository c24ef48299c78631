from __future__ import annotations

from pathlib import Path

import pytest

from clause.graph.server.diagnosis import PORT_TAKEN, diagnose, tail

HOME = Path("/srv/clause")


@pytest.mark.parametrize(
    ("line", "cause", "way_out"),
    [
        ("java.io.IOException: No space left on device", "the disk is full", "free some disk space"),
        ("java.net.BindException: Address already in use", PORT_TAKEN, "run the command again"),
        ("java.lang.UnsupportedClassVersionError: org/neo4j/server", "this Java is too old", "JAVA_HOME"),
        ("Terminating due to java.lang.OutOfMemoryError: Java heap space", "heap is too small", "HEAP_MB higher"),
        ("Could not reserve enough space for object heap", "not enough memory", "CLAUSE_NEO4J_HEAP_MB"),
        ("FileLockException: Lock file has been locked by another process", "another Neo4j uses", "CLAUSE_HOME"),
        ("The database was last opened by a newer version", "another version of Neo4j", "export it"),
        ("Unrecognized setting. No declared setting with name: x", "refuses its configuration", "neo4j.conf"),
        ("java.nio.file.AccessDeniedException: data", "may not write its home", "mend the rights"),
    ],
)
def test_a_known_fault_is_one_clear_line_with_a_way_out(line: str, cause: str, way_out: str) -> None:
    error = diagnose(f"INFO  Starting...\nERROR {line}\nINFO  Stopped.", HOME)
    assert error.message.startswith(f"Neo4j in {HOME} did not start: ")
    assert cause in error.message
    assert way_out in str(error.remedy)
    assert "\n" not in str(error)


def test_an_unknown_fault_tells_the_last_words_of_the_server() -> None:
    error = diagnose("one\n\ntwo\nERROR the moon is too bright\n", HOME)
    assert "the moon is too bright" in error.message
    assert error.details["log"] == ["one", "two", "ERROR the moon is too bright"]


def test_an_error_is_told_rather_than_what_was_said_after_it() -> None:
    error = diagnose("INFO  Starting...\nERROR it rains\n  at cloud.java\nINFO  Stopped.", HOME)
    assert error.message == f"Neo4j in {HOME} did not start: ERROR it rains"


def test_a_server_that_said_nothing_is_told_as_such() -> None:
    assert "without a word" in diagnose("", HOME).message


def test_the_tail_of_a_file_is_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {n}\n" for n in range(10_000)))
    assert tail(log, 2) == ["line 9998", "line 9999"]
    assert tail(tmp_path / "none", 2) == []
