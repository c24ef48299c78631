import pytest

from clause.api.preconditions import etag, parse_if_match, require_version
from clause.errors import BadInputError, PreconditionError


def test_a_write_on_the_version_last_seen_passes() -> None:
    require_version(parse_if_match(etag(7)), 7)


def test_a_write_on_an_older_version_loses_and_learns_the_current_one() -> None:
    with pytest.raises(PreconditionError, match="the version is now 8"):
        require_version(parse_if_match(etag(7)), 8)


@pytest.mark.parametrize("header", [None, "*", " * "])
def test_any_version_is_accepted_where_none_is_named(header: str | None) -> None:
    require_version(parse_if_match(header), 8)


def test_weak_tags_and_lists_are_read() -> None:
    assert parse_if_match('W/"1", "2"') == (1, 2)


@pytest.mark.parametrize("header", ["", "3", '"x"', '"1", 2', '"' + "9" * 30 + '"'])
def test_what_is_no_tag_of_ours_is_refused(header: str) -> None:
    with pytest.raises(BadInputError):
        parse_if_match(header)
