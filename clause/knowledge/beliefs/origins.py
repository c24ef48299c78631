"""Origins of a statement as the graph keeps them: its source, its provenance, its words as evidence.

Who vouches for a statement is its site, where its source has an address on the web, else its author: the API key that
recorded it. Names, titles and sessions are what an author says of itself, and make no other of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from publicsuffixlist import PublicSuffixList
from url_normalize import url_normalize

from clause.graph.scopes import OWNER_AUTHOR
from clause.knowledge.beliefs.models import BeliefCreate, SourcedStatement, SourceGiven
from clause.knowledge.beliefs.rows import content_hash
from clause.text.names import hashed

RELIABILITY: Final[Mapping[str, float]] = {
    "document": 0.6,
    "conversation": 0.5,
    "inference": 0.4,
    "observation": 0.6,
    "api": 0.5,
    "user_input": 0.7,
}
"""Reliability of a source without a track record, by kind."""

REMEMBERED: Final = timedelta(days=7)
"""The time for which it is remembered to whom a belief was told: what they say of it meanwhile is taken for an echo."""

_WORD = re.compile(r"[^\W_]+")
_HOST = re.compile(r"(?<=//)[^/?#]*")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def address(uri: str) -> str:
    """One spelling of an address: scheme, host, port, path and percent signs as RFC 3986 has them, nothing private.

    User names, fragments, `www.`, a closing slash and the difference of http and https go, too; what is no address on
    the web stays as it is, but for its blanks.

    >>> address("HTTP://user@WWW.Example.COM:80/a/../b/#top"), address(" doi:10.1/2 ")
    ('https://example.com/b', 'doi:10.1/2')
    """
    given = uri.strip()
    named = _SCHEME.match(given)
    if named and not given.casefold().startswith(("http:", "https:")):
        return given
    given = given.replace("\\", "/")  # as browsers read it: what follows is a path, not a host
    try:
        parts = urlsplit(url_normalize(_HOST.sub(lambda host: unquote(host[0]), given)) or "")
        host = (parts.hostname or "").rstrip(".").removeprefix("www.")
        port = f":{parts.port}" if parts.port and parts.port not in (80, 443) else ""
    except ValueError:
        return given
    if not host or not (named or _suffixes().privatesuffix(host)):
        return given
    query = f"?{parts.query}" if parts.query else ""
    return f"https://{host}{port}{parts.path.rstrip('/')}{query}"


def site(uri: str) -> str | None:
    """Whoever answers for an address: the domain that was registered (RFC 1034 below a public suffix); else None.

    Numbers, local names, files and domains under no known suffix are nobody's: anyone may write them down.

    >>> site("https://news.bbc.co.uk/1"), site("https://ann.github.io"), site("http://10.0.0.1/"), site("file:///a")
    ('bbc.co.uk', 'ann.github.io', None, None)
    """
    found = address(uri)
    host = urlsplit(found).hostname if found.startswith("https://") else None
    registered = _suffixes().privatesuffix(host) if host else None
    return str(registered) if registered else None


@cache
def _suffixes() -> PublicSuffixList:
    """The public suffix list as its package carries it; nothing is fetched."""
    return PublicSuffixList(accept_unknown=False)


def new_source(given: SourcedStatement, scope: str, at: datetime, *, author: str = OWNER_AUTHOR) -> dict[str, Any]:
    """The properties of a statement's source: the one given, or the caller in this session.

    The same kind, title, address and upstream are one source of a scope; without any of them, one session is, or one
    author.
    """
    source = given.source or SourceGiven(kind="conversation" if given.session_id else "user_input")
    alone = ("caller",) if author == OWNER_AUTHOR else ("caller", author)
    return described(source, scope, at, default=(given.session_id,) if given.session_id else alone)


def described(source: SourceGiven, scope: str, at: datetime, *, default: Sequence[str]) -> dict[str, Any]:
    """The properties of a source; `default` tells those apart that say nothing of themselves."""
    uri, upstream = address(source.uri), _upstream(source.upstream)
    parts = (source.title, uri, upstream)
    return {
        "id": hashed("src_", scope, source.kind, *(parts if any(parts) else default)),
        "scope": scope,
        "kind": source.kind,
        "title": source.title,
        "name": source.title or source.kind.replace("_", " "),
        "uri": uri or None,
        "site": site(uri),
        "upstream": upstream or None,
        "recorded_at": at,
        "version": 1,
    }


def _upstream(upstream: str) -> str:
    """One spelling of what a source copies from."""
    return address(upstream) if site(upstream) else " ".join(upstream.casefold().split())


def provenance(
    given: SourcedStatement,
    source: Mapping[str, Any],
    provenance_id: str,
    *,
    scope: str,
    at: datetime,
    author: str = OWNER_AUTHOR,
    derived: bool = False,
) -> dict[str, Any]:
    """The way of a statement here, and what tells whether it is independent of others; `derived`: it rests on them."""
    uri, upstream = source.get("uri") or "", source.get("upstream") or ""
    return {
        "id": provenance_id,
        "scope": scope,
        "source_id": source["id"],
        "origin": upstream or source["id"],
        "author": author,
        "sites": sorted({one for one in (site(uri), site(upstream)) if one}),
        "derived": derived,
        "session_id": given.session_id,
        "reliability": RELIABILITY.get(source.get("kind") or "", 0.5),
        "words": sorted(source_words(source)),
        "recalled": given.recalled,
        "extractor_identity": given.extraction_method,
        "extraction_timestamp": at,
        "source_uri": source.get("uri"),
        "verification_status": "unverified",
        "recorded_at": at,
    }


def evidence(text: str, belief_id: str, proof: Mapping[str, Any], *, model: str) -> dict[str, Any]:
    """The words of one more statement, kept beside the belief; `model` makes their vector."""
    return {
        "id": hashed("evb_", belief_id, proof["id"]),
        "scope": proof["scope"],
        "text": text.replace("\x00", ""),
        "content_hash": content_hash(text),
        "embedding_model": model,
        "recorded_at": proof["recorded_at"],
    }


def source_words(source: Mapping[str, Any]) -> frozenset[str]:
    """The words of a source's title and of its address behind the host, in lower case: those who share them are alike.

    >>> sorted(source_words({"title": "The News", "uri": "https://example.com/2026/news"}))
    ['2026', 'news', 'the']
    """
    path = unquote(urlsplit(address(source.get("uri") or "")).path)
    return frozenset(_WORD.findall(f"{source.get('title') or ''} {path}".casefold()))


def told_entry(author: str, at: datetime) -> str:
    """The mark that is kept on a belief that was told to an author.

    >>> from datetime import UTC
    >>> told_entry("owner", datetime(1970, 1, 2, tzinfo=UTC))
    'owner 86400'
    """
    return f"{author} {int(at.timestamp())}"


def echoes(given: SourcedStatement, told: Mapping[str, Any], *, author: str, at: datetime) -> bool:
    """Tell whether a statement may be nothing but what was recalled from this graph.

    Args:
        given: the statement.
        told: of the belief that it repeats: `recalled_in`, the sessions, and `told_to`, entries of authors.
        author: who says it.
        at: when.
    """
    if given.recalled or (given.session_id is not None and given.session_id in told["recalled_in"]):
        return True
    lately = at.timestamp() - REMEMBERED.total_seconds()
    entries = [entry.rsplit(" ", 1) for entry in told["told_to"]]
    return any(name == author and int(seconds) >= lately for name, seconds in entries)


def is_derived(given: BeliefCreate, kinds: Mapping[str, str]) -> bool:
    """Tell whether a statement concludes rather than quotes; `kinds` are the labels of what it was derived from.

    >>> is_derived(BeliefCreate(content="a", derived_from=("p",)), {"p": "Passage"})
    False
    """
    return any(kinds.get(parent) not in ("Passage", "Document") for parent in given.derived_from)
