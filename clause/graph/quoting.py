"""Names written into Cypher, where a parameter cannot stand."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name as Cypher reads it, whatever is in it: a backslash would begin an escape even between backticks.

    >>> quoted("directed_by"), quoted("odd`name")
    ('`directed_by`', '`odd``name`')
    """
    return "`" + name.replace("\\", "\\u005c").replace("`", "``") + "`"
