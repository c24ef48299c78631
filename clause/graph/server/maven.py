"""Fetching jars through jgo into this user's Maven cache: once, in parallel, and only what the lock file names."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from filelock import FileLock
from jgo.config import GlobalSettings
from jgo.constants import MAVEN_CENTRAL_URL
from jgo.maven import Artifact, MavenContext

from clause.errors import ServerError
from clause.graph.server.jars import VERSION, Jar, missing
from clause.graph.server.progress import Progress, silent


def repository() -> Path:
    """The Maven cache of this user, as jgo's settings and M2_REPO have it."""
    return Path(GlobalSettings.load().repo_cache).expanduser()


def fetch(jars: Sequence[Jar], cache: Path, progress: Progress = silent) -> list[Path]:
    """Fetch what is missing and give the class path: every jar is there and has the locked sha256.

    Raises:
        ServerError: a jar cannot be fetched, or is not the one that the lock file names.
    """
    if wanted := missing(jars, cache):
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / ".clause-neo4j.lock"):
            _fetch_all(missing(wanted, cache), cache, progress)
    return [cache / jar.path for jar in jars]


def _fetch_all(jars: list[Jar], cache: Path, progress: Progress) -> None:
    remotes = {"central": MAVEN_CENTRAL_URL, **GlobalSettings.load().repositories}
    context = MavenContext(repo_cache=cache, remote_repos=remotes, timeout=60)
    done, total = 0, sum(jar.size for jar in jars)
    message = f"fetching Neo4j {VERSION} ({len(jars)} jars)"
    progress(message, done, total)
    pool = ThreadPoolExecutor(max_workers=8)
    try:
        tasks = [pool.submit(_fetch_one, jar, context) for jar in jars]
        for task in as_completed(tasks):
            done += task.result().size
            progress(message, done, total)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _fetch_one(jar: Jar, context: MavenContext) -> Jar:
    """Fetch `jar`; a file that is there but not whole is fetched anew."""
    (context.repo_cache / jar.path).unlink(missing_ok=True)
    try:
        _artifact(jar, context).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ServerError(
            f"cannot fetch {jar.path.name}: {_reason(error)}",
            remedy="check the network and the free disk space, then run the command again; it goes on where it stopped",
        ) from error
    if not jar.is_whole(context.repo_cache):
        (context.repo_cache / jar.path).unlink(missing_ok=True)
        raise ServerError(
            f"{jar.path.name} is not the file that was locked: its sha256 differs",
            remedy="nothing was started; check which repository answers as Maven Central, then run the command again",
        )
    return jar


def _artifact(jar: Jar, context: MavenContext) -> Artifact:
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    return component.artifact(jar.classifier)


def _reason(error: Exception) -> str:
    text = str(error).splitlines()
    return text[0][:200] if text and text[0] else type(error).__name__
