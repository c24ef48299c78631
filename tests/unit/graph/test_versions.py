from __future__ import annotations

import pytest

from clause.errors import BadInputError, PreconditionError
from clause.graph.versions import etag, require_match


@pytest.mark.parametrize("accepted", [None, "*", " * ", '"3"', '"1", "3"'])
def test_a_write_to_the_version_that_was_seen_passes(accepted: str | None):
    require_match(3, accepted)
    assert etag(3) == '"3"'


def test_a_write_to_another_version_is_refused():
    with pytest.raises(PreconditionError) as caught:
        require_match(3, '"2"')
    assert caught.value.status == 412


@pytest.mark.parametrize("bad", ["3", '""', '"x"', "", 'W/"3"'])
def test_a_tag_that_is_not_ours_is_bad_input(bad: str):
    with pytest.raises(BadInputError):
        require_match(3, bad)
