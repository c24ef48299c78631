"""Names of entities: normalised, as canonical keys, and ids made of them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import NamedTuple
from urllib.parse import unquote

from clause.text.mentions import in_full
from clause.text.mentions import name_key as folded
from clause.text.statements.words import causal_meaning

LONGEST_KEY = 1000
"""Longer names are keyed by a prefix and a hash: a key must fit into an index entry of the server (about 8 kB)."""

HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def normalise(name: str) -> str:
    r"""Unicode NFC without blanks around it; case and accents stay.

    >>> normalise(" Ame\u0301lie ")
    'Amélie'
    """
    return (name if name.isascii() else unicodedata.normalize("NFC", name)).strip()


def canonical_key(name: str, kind: str = "concept", identity: str = "") -> str:
    """The key that is unique within a scope; `identity` tells apart things of the same name (an IRI, for example).

    >>> canonical_key("Kismet"), canonical_key("Kismet", identity="http://e.org/Kismet")
    ('concept:Kismet', 'concept:Kismet#http://e.org/Kismet')
    """
    return short(f"{kind}:{normalise(name)}#{identity}" if identity else f"{kind}:{normalise(name)}")


def name_key(name: str) -> str:
    """The look-up form of a name (NFC, trimmed, casefolded), shortened when it is very long."""
    return short(folded(name))


def short(key: str) -> str:
    """`key`, or of a very long one its first 200 characters and its sha256.

    >>> short("a"), len(short("a" * 5000))
    ('a', 266)
    """
    if len(key) <= LONGEST_KEY:
        return key
    return f"{key[:200]}~~{hashlib.sha256(key.encode()).hexdigest()}"


def hashed(prefix: str, *parts: str) -> str:
    """A content id: `prefix` and the first 24 hex digits of the sha256 of the parts, one a line."""
    return prefix + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def entity_id(scope: str, key: str) -> str:
    """The id of the entity with this canonical key.

    >>> entity_id("kg:metaqa", "concept:Kismet")
    'ent_3ad3761571432f793ccfc754'
    """
    return hashed("ent_", scope, key)


QUALIFIER = re.compile(r"\s*\([^()]*\)$")
_ARTICLE = re.compile(r"^(?:The|An?) (?=[^\W\d_a-z]|[A-Z])")
_SHORTEST = 4


def short_names(name: str) -> tuple[str, ...]:
    """The other names of a thing in texts: without a qualifier in brackets or behind a comma, without an article.

    >>> short_names("Kes (1969 film)"), short_names("Bath, Somerset"), short_names("The Rank Organisation")
    (('Kes',), ('Bath',), ('Rank Organisation',))
    """
    plain = QUALIFIER.sub("", name).strip()
    head = plain.split(", ", 1)[0]
    found = [plain, head if len(head) >= _SHORTEST else "", _ARTICLE.sub("", plain)]
    return tuple(dict.fromkeys(short for short in found if short and short != name))


def last_segment(iri: str) -> str:
    """The readable end of an IRI: after the last `#`, `/` or `:` (not one inside a title), percent-decoded.

    >>> [last_segment(f"http://dbpedia.org/{name}") for name in ("ontology/birthPlace", "resource/Tron:_Legacy", "a:b")]
    ['birthPlace', 'Tron:_Legacy', 'b']
    """
    return unquote(re.split(r"[#/]|:(?!_|%20)", iri.rstrip("#/:"))[-1]) or iri


def readable_name(iri: str) -> str:
    """A name for the thing that an IRI means.

    >>> readable_name("http://dbpedia.org/resource/Alan_Bean")
    'Alan Bean'
    """
    return last_segment(iri).replace("_", " ").strip() or iri


def readable_relation(name: str) -> str:
    """A relationship type as words: from snake_case, kebab-case, camelCase, or the end of an IRI.

    >>> readable_relation("directed_by"), readable_relation("birthPlace"), readable_relation("http://e.org/p#hasURL")
    ('directed by', 'birth place', 'has url')
    """
    tail = last_segment(name) if "://" in name else name
    words = HUMP.sub(" ", re.sub(r"[_\-.\s]+", " ", tail))
    return in_full((words if " " in words.strip() or not tail.isupper() else tail).strip().lower()) or name


def inverse_text(text: str) -> str:
    """The words of a relationship type read from tail to head.

    Sentence embeddings hear `directed by` and `directed` as nearly the same, so that a paraphrase would hide the
    direction; the plain `inverse of` keeps the two apart, and is the wording that the policy learns from.

    >>> inverse_text("directed by")
    'inverse of directed by'
    """
    return f"inverse of {text}"


def relation_words(relation: str, forward: bool) -> str:
    """A relationship type in words, in a direction, when nothing else is known of it.

    >>> relation_words("directed_by", True), relation_words("directed_by", False)
    ('directed by', 'inverse of directed by')
    """
    return readable_relation(relation) if forward else inverse_text(readable_relation(relation))


_OURS = """
    ABOUT HAS_PROVENANCE FROM SUPPORTED_BY SUPERSEDES SAME_AS BETWEEN DERIVED_FROM MERGED_INTO TRUSTS EXTRACTED_FROM
    HAS_PASSAGE NEXT MENTIONS ASKED_FROM VISITED SELECTED DECIDED_BY HAS_BASIN CO_OCCURS_WITH ATTRACTED_TO
    RELATED_THOUGHTSEED GENERATED_BY INVESTIGATES MEMBER_OF IN_CLUSTER OF_RUN ON_TOPIC CONFLICTS_WITH IN_SESSION
    EVIDENCED_BY NEXT_VERSION CHANGED MAYBE_SAME_AS HAS_STEP JUDGES WEIGHS
"""
RESERVED = frozenset(_OURS.split())
"""Our own relationship types: a loaded one of the same name gets the prefix kg_."""


class RegisteredType(NamedTuple):
    """A relationship type as the registry keeps it."""

    id: str
    name: str
    text: str
    inverse_text: str
    causal_kind: str | None
    causal_backward: bool

    @property
    def is_causal(self) -> bool:
        """True where its own words mean a cause."""
        return self.causal_kind is not None


def stored_name(relation: str) -> str:
    """The type's name in the graph: of an IRI its end; reserved names are prefixed.

    >>> stored_name("directed_by"), stored_name("MENTIONS"), stored_name("http://e.org/birthPlace")
    ('directed_by', 'kg_MENTIONS', 'birthPlace')
    """
    name = normalise(last_segment(relation) if "://" in relation else relation)
    return f"kg_{name}" if name in RESERVED else name


def register(scope: str, name: str) -> RegisteredType:
    """The registry's entry for the stored name of a type.

    >>> register("kg:x", "CAUSED_BY")[1:]
    ('CAUSED_BY', 'caused by', 'inverse of caused by', 'causes', True)
    """
    text = readable_relation(name.removeprefix("kg_") if name.removeprefix("kg_") in RESERVED else name)
    kind, backward = causal_meaning(text) or (None, False)
    return RegisteredType(hashed("rel_", scope, name), name, text, inverse_text(text), kind, backward)
