"""Scopes say whose a node is; a Caller says which of them a request may read and write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clause.errors import BadInputError, ForbiddenError

if TYPE_CHECKING:
    from clause.graph.runner import Graph

PUBLIC = "public"
"""The scope that everyone may read."""

OWNER_AUTHOR = "owner"
"""The author of what the owner records, who has no API key."""

_FORMS = "public, user:<id>, user:<id>/session:<id>, session:<id>, kg:<name>"
_ID = r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}"
_SCOPE = re.compile(
    rf"(?P<public>public)|user:(?P<user>{_ID})(?:/session:(?P<user_session>{_ID}))?"
    rf"|session:(?P<session>{_ID})|kg:(?P<kg>{_ID})"
)


@dataclass(frozen=True)
class Scope:
    """One parsed scope; `text` is its canonical form, the value of every node's `scope` property."""

    text: str
    user: str | None = None
    session: str | None = None
    knowledge_graph: str | None = None

    @property
    def sees(self) -> tuple[str, ...]:
        """The scopes a reader in this scope sees: a session sees itself, its user and public; a user itself and public.

        >>> parse_scope("user:ann/session:7").sees
        ('user:ann/session:7', 'user:ann', 'public')
        >>> parse_scope("kg:metaqa").sees
        ('kg:metaqa',)
        """
        if self.user is not None and self.session is not None:
            return (self.text, f"user:{self.user}", PUBLIC)
        if self.user is not None or self.session is not None:
            return (self.text, PUBLIC)
        return (self.text,)

    def __str__(self) -> str:
        """The canonical form."""
        return self.text


def parse_scope(text: str, *, field: str = "scope") -> Scope:
    """Check and take apart a scope.

    Raises:
        BadInputError: it has none of the five forms; `field` and `bound` are set.

    >>> parse_scope("kg:metaqa").knowledge_graph
    'metaqa'
    """
    match = _SCOPE.fullmatch(text)
    if match is None:
        shown = text if len(text) <= 80 else f"{text[:77]}..."
        raise BadInputError(f"{shown!r} is not a scope", remedy=f"use one of {_FORMS}", field=field, bound=_FORMS)
    parts = match.groupdict()
    return Scope(text, parts["user"], parts["user_session"] or parts["session"], parts["kg"])


def scope_of(user_id: str | None, session_id: str | None, default: str = PUBLIC) -> str:
    """The scope that a seed's user_id and session_id mean; `default` when both are missing.

    Raises:
        BadInputError: one of them is no name, or holds more than one.

    >>> scope_of("ann", "7"), scope_of("ann", None), scope_of(None, "7"), scope_of(None, None)
    ('user:ann/session:7', 'user:ann', 'session:7', 'public')
    """
    user = f"user:{user_id}" if user_id else ""
    session = f"session:{session_id}" if session_id else ""
    scope = parse_scope("/".join(part for part in (user, session) if part) or default)
    if (user or session) and (scope.user, scope.session) != (user_id or None, session_id or None):
        raise BadInputError(
            f"{scope.text[:80]!r} is the scope of another user or session", field="user_id", bound=_FORMS
        )
    return scope.text


@dataclass(frozen=True)
class Caller:
    """The one who asks. None means everything: the owner on loopback. A user's scope covers that user's sessions.

    `key_id` is the API key that spoke, None for the owner: what one key left behind is not another's to find. `default`
    are the scopes of a read that names none, where they are fewer than all: those of the project it was started for.
    `person`: the key is a person's, not an agent's.

    >>> Caller(readable=("user:ann",), writable=()).may_read("user:ann/session:7")
    True
    >>> Caller(readable=("user:ann",), writable=()).may_read("user:bob")
    False
    """

    readable: tuple[str, ...] | None = None
    writable: tuple[str, ...] | None = None
    key_id: str | None = None
    default: tuple[str, ...] | None = None
    person: bool = False

    def reading(self, given: Mapping[str, Any]) -> Caller:
        """The caller of a read with these parameters: `narrowed` where they name no scope."""
        return self if any(given.get(name) is not None for name in ("scope", "scopes")) else self.narrowed()

    def narrowed(self) -> Caller:
        """The same caller, who reads the `default` scopes alone (a user's with public); it is never more than before.

        >>> Caller(default=("user:ann",)).narrowed().readable
        ('public', 'user:ann')
        >>> Caller(readable=("kg:films",), default=("kg:films", "user:bob")).narrowed().readable
        ('kg:films',)
        """
        if self.default is None:
            return self
        seen = {other for text in self.default for other in parse_scope(text).sees}
        return replace(self, readable=tuple(sorted(scope for scope in seen if self.may_read(scope))), default=None)

    @property
    def author(self) -> str:
        """The one who answers for what this caller records: its API key, which it cannot choose, or the owner."""
        return self.key_id or OWNER_AUTHOR

    @property
    def is_person(self) -> bool:
        """True for the owner and for keys that were made for a person: what they confirm is verified."""
        return self.key_id is None or self.person

    def may_read(self, scope: str) -> bool:
        """True when `scope` is within what this caller may read."""
        return _covers(self.readable, scope)

    def may_write(self, scope: str) -> bool:
        """True when `scope` is within what this caller may write."""
        return _covers(self.writable, scope)

    def resolve(self, requested: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
        """The scopes a request reads: those it names (a session's with its user and public), or all readable ones.

        `known` are the scopes that hold something; public and session scopes count as known before their first write.

        Raises:
            BadInputError: a named scope is malformed, unknown, or the list is empty.
            ForbiddenError: a named scope is not this caller's.

        >>> Caller().resolve(None, ["kg:metaqa"])
        ('kg:metaqa', 'public')
        """
        if requested is None:
            return tuple(sorted(scope for scope in {*known, PUBLIC, *(self.readable or ())} if self.may_read(scope)))
        if not requested:
            raise BadInputError("no scope is named", remedy="leave `scopes` out to read all", field="scopes")
        seen: set[str] = set()
        for text in requested:
            scope = parse_scope(text, field="scopes")
            self._require_readable(scope, known)
            seen.update(other for other in scope.sees if self.may_read(other)) if scope.session else seen.add(text)
        return tuple(sorted(seen))

    def require_write(self, scope: str) -> str:
        """`scope` itself, once it is well-formed and this caller may write there; ForbiddenError otherwise."""
        parse_scope(scope)
        if not self.may_write(scope):
            raise ForbiddenError(f"writing to scope {scope!r} is not allowed to this caller", field="scope")
        return scope

    def target(self, scope: str | None, default: str) -> str:
        """The scope that a write goes to: the named one, or where none is named this caller's `home`.

        Raises:
            BadInputError: it is malformed.
            ForbiddenError: this caller may not write there.

        >>> Caller(readable=(), writable=("user:ann",)).target(None, "public"), Caller().target("kg:films", "public")
        ('user:ann', 'kg:films')
        """
        return self.require_write(scope or self.home(default))

    def home(self, default: str) -> str:
        """Give the scope of a write that names none: `default`, or this caller's first scope where that is not its own.

        >>> Caller(readable=(), writable=("user:ann",)).home("public"), Caller().home("public")
        ('user:ann', 'public')
        """
        return self.writable[0] if self.writable and not self.may_write(default) else default

    def _require_readable(self, scope: Scope, known: Sequence[str]) -> None:
        if not self.may_read(scope.text):
            raise ForbiddenError(f"reading scope {scope.text!r} is not allowed to this caller", field="scopes")
        if scope.text != PUBLIC and scope.session is None and scope.text not in known:
            raise BadInputError(f"nothing is stored in scope {scope.text!r}", remedy="load it first", field="scopes")


def _covers(scopes: tuple[str, ...] | None, scope: str) -> bool:
    if scopes is None:
        return True
    parsed = _SCOPE.fullmatch(scope)
    owner = f"user:{parsed['user']}" if parsed and parsed["user"] else scope
    return scope in scopes or owner in scopes


def agreed(scopes: Sequence[str], chosen: Mapping[str, str]) -> str | None:
    """The policy that the scopes of one question chose together; None: the default decides.

    A choice never decides over a graph that did not make it: every `kg:` scope that is read must have made it, and no
    other scope another one.

    >>> agreed(["kg:a", "public"], {"kg:a": "mine"}), agreed(["kg:a", "kg:b"], {"kg:a": "mine"})
    ('mine', None)
    >>> agreed(["kg:a", "user:ann"], {"kg:a": "mine", "user:ann": "hers"}) is None
    True
    """
    names = {chosen.get(scope) for scope in scopes if scope in chosen or scope.startswith("kg:")}
    return names.pop() if len(names) == 1 else None


async def known_scopes(graph: Graph) -> list[str]:
    """Every scope that holds something."""
    return [str(row["id"]) for row in await graph.run("graph/scopes")]


EXAMPLES = 6
_LOOKED_AT = 400
_LONGEST_NAME = 60
_TELLS_CLASS = re.compile(r"(?:(?:is|instance|kind|type)[_ ]?(?:an?|of)?|has[_ ]?type|class)", re.IGNORECASE)


async def example_questions(graph: Graph, scope: str, in_words: Callable[[str], str]) -> list[str]:
    """Questions that ask for triples of a scope, each of another type of relationship and, while there are so many,
    about another entity, for classes last; at most EXAMPLES; none where it holds no triples. `in_words`: of a type."""
    rows = await graph.run("graph/triples_of_scope", scope=scope, limit=_LOOKED_AT)
    named = [row for row in rows if row["head"] and row["head"].isprintable() and len(row["head"]) <= _LONGEST_NAME]
    named.sort(key=lambda row: tells_class(row["relation"]))
    found: dict[str, str] = {}
    for repeated in (False, True):
        for row in named:
            if row["relation"] not in found and (repeated or row["head"] not in found.values()):
                found[row["relation"]] = row["head"]
    return [question_about(head, in_words(relation)) for relation, head in found.items()][:EXAMPLES]


def tells_class(relation: str) -> bool:
    """Tell whether a type says what a thing is, by its name: nobody asks that first.

    >>> tells_class("is_a"), tells_class("instanceOf"), tells_class("type"), tells_class("has_genre")
    (True, True, True, False)
    """
    return _TELLS_CLASS.fullmatch(relation) is not None


def question_about(head: str, words: str) -> str:
    """A question that a triple with this head answers, in the grammar that its type in words allows; where that may be
    a verb, the triple itself with a gap.

    >>> [question_about("Kes", words) for words in ("directed by", "has genre", "in language", "is a")]
    ['What is Kes directed by?', 'What genre does Kes have?', 'What language is Kes in?', 'Kes is a what?']
    >>> [question_about("Ward 3", words) for words in ("open hours", "weighs", "stands on")]
    ['What are the open hours of Ward 3?', 'Ward 3 weighs what?', 'What does Ward 3 stand on?']
    >>> question_about("Goose Theft", "was heard by"), question_about("Vann & Co", "has its office on")
    ('What was Goose Theft heard by?', 'What does Vann & Co have its office on?')
    """
    wordings = ((re.fullmatch(pattern, words), wording) for pattern, wording in _WORDINGS)
    parts, wording = next((found.groupdict(), wording) for found, wording in wordings if found)
    return wording.format(head=head, words=words, **{**parts, "verb": _plain(parts.get("verb", ""))})


_BEFORE = "(?:about|after|at|before|by|for|from|in|into|near|of|on|to|under|with)"
_WORDINGS = (
    (rf"ha(?:s|ve) (?P<rest>.+ {_BEFORE})", "What does {head} have {rest}?"),
    (r"ha(?:s|ve) (?P<rest>.+)", "What {rest} does {head} have?"),
    (r"is an?", "{head} {words} what?"),
    (r"(?P<be>is|was|are|were) (?P<rest>.+)", "What {be} {head} {rest}?"),
    (rf"(?P<place>{_BEFORE}) (?P<rest>.+)", "What {rest} is {head} {place}?"),
    (rf"(?P<verb>\S+s) (?P<rest>(?:.+ )?{_BEFORE})", "What does {head} {verb} {rest}?"),
    (rf".+ {_BEFORE}", "What is {head} {words}?"),
    (r"\S*[^s\s] (?:.+ )?\S+s", "What are the {words} of {head}?"),
    (r"(?:.* )?\S*(?:ed|s)", "{head} {words} what?"),
    (r".*", "What is the {words} of {head}?"),
)


def _plain(verb: str) -> str:
    """A verb without the ending of its third person.

    >>> [_plain(verb) for verb in ("hangs", "carries", "passes")]
    ['hang', 'carry', 'pass']
    """
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if re.search(r"(?:ss|sh|ch|x|o)es$", verb) else verb.removesuffix("s")


async def readable_scopes(
    graph: Graph, caller: Caller, scopes: Sequence[str] | None = None, *, stored: bool = False
) -> tuple[str, ...]:
    """The scopes that a read covers: those named (a session's with its user and public), or all the caller's.

    `stored` refuses a named scope that holds nothing; without it nothing is found there.

    Raises:
        BadInputError: a named scope is malformed, or unknown where it must be `stored`.
        ForbiddenError: a named scope is not this caller's.
    """
    if scopes is not None and not stored:
        return caller.resolve(scopes, scopes)
    if scopes is None:
        return caller.resolve(None, await known_scopes(graph))
    rows = await graph.run("graph/named_scopes", ids=[*caller.resolve(scopes, scopes)])
    return caller.resolve(scopes, [str(row["id"]) for row in rows])


def default_scopes(text: str | None, field: str) -> tuple[str, ...] | None:
    """The scopes of a setting or a header, parted by commas; None where it names none.

    Raises:
        BadInputError: one of them is malformed; `field` is told.

    >>> default_scopes("kg:films, user:ann", "X-Read-Scope")
    ('kg:films', 'user:ann')
    """
    named = [part.strip() for part in (text or "").split(",") if part.strip()]
    return tuple(parse_scope(one, field=field).text for one in named) or None


def scope_token(scope: str) -> str:
    """One word for a scope that every full-text analyzer keeps whole; stored as `scope_token` beside indexed text.

    >>> scope_token("user:ann/session:7")
    's_user_ann_session_7'
    """
    return "s_" + re.sub(r"[^A-Za-z0-9]", "_", scope).lower()


_caller: ContextVar[Caller | None] = ContextVar("clause_graph_confined", default=None)

UPKEEP = frozenset({"graph/claim_embedding_model", "jobs/acquire", "jobs/guard", "jobs/resume"})
"""Writing statements that belong to no scope, or find theirs by the id of a job, and do no harm to others."""


@contextmanager
def confined(scope: str | None) -> Iterator[None]:
    """Within the block, tasks started in it included, writes go to `scope` (a user's with its sessions) alone.

    None confines nothing. Tasks that outlive the block and work for others are started in a context of their own.
    """
    token = _caller.set(None if scope is None else Caller(readable=(scope,), writable=(scope,)))
    try:
        yield
    finally:
        _caller.reset(token)


def check_confinement(name: str, parameters: Mapping[str, Any]) -> None:
    """Let a writing statement pass that stays within the confinement of the present context, if there is one.

    Raises:
        ForbiddenError: it names a scope outside, or no scope at all.

    >>> with confined("user:ann"):
    ...     check_confinement("x/y", {"scope": "user:ann/session:1"})
    ...     check_confinement("x/y", {"scope": "user:bob"})
    Traceback (most recent call last):
    ...
    clause.errors.ForbiddenError: the job writes outside of its scope user:ann (x/y)
    """
    caller = _caller.get()
    if caller is None or name in UPKEEP:
        return
    named = [*_named(parameters)]
    if not named or not all(isinstance(scope, str) and caller.may_write(scope) for scope in named):
        raise ForbiddenError(f"the job writes outside of its scope {(caller.writable or ('',))[0]} ({name})")


def _named(parameters: Mapping[str, Any]) -> Iterator[Any]:
    """The scopes that a statement is told: by its parameters, else by the maps in them."""
    if "scope" in parameters:
        yield parameters["scope"]
    if "scopes" in parameters:
        yield from parameters["scopes"] if parameters["scopes"] is not None else [None]
    if not parameters.keys() & {"scope", "scopes"}:
        for value in parameters.values():
            for row in value if isinstance(value, list | tuple) else [value]:
                if isinstance(row, Mapping) and "scope" in row:
                    yield row["scope"]
