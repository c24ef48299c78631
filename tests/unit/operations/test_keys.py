"""API keys in a file of their own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clause.errors import BadInputError, ConflictError, NotFoundError, SettingsError, UnauthorizedError
from clause.operations.key_file import KeyFile
from clause.operations.keys import ApiKeys, hashed


@pytest.fixture
def file(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "home" / "keys.json")


@pytest.fixture
def keys(file: KeyFile) -> ApiKeys:
    return ApiKeys(file)


async def test_a_key_opens_its_scopes_and_no_others(keys: ApiKeys) -> None:
    made = await keys.create("app", ["public"], ["user:ann"])
    caller = await keys.caller(made.token)
    assert (caller.readable, caller.writable, caller.key_id) == (("public", "user:ann"), ("user:ann",), made.id)
    assert caller.may_write("user:ann/session:1")
    assert not caller.may_write("public")
    assert not caller.may_read("user:bob")


async def test_the_file_keeps_a_hash_and_never_the_secret(keys: ApiKeys, file: KeyFile) -> None:
    made = await keys.create("app", ["public"], [])
    secret = made.token.rpartition(made.id + "_")[2]
    text = file.path.read_text()
    assert hashed(secret) in text
    assert secret not in text
    assert made.token not in repr(made)
    assert file.path.stat().st_mode & 0o777 == 0o600


async def test_a_key_for_everything_opens_everything(keys: ApiKeys) -> None:
    everything = await keys.caller((await keys.create("owner", None, None)).token)
    reader = await keys.caller((await keys.create("reader", None, [])).token)
    writer = await keys.caller((await keys.create("writer", [], None)).token)
    assert (everything.readable, everything.writable) == (None, None)
    assert (reader.readable, reader.writable) == (None, ())
    assert (writer.readable, writer.writable) == (None, None)


async def test_a_revoked_key_opens_nothing(keys: ApiKeys) -> None:
    made = await keys.create("app", ["public"], [])
    ended = await keys.revoke(made.id)
    assert ended.revoked_at is not None
    assert (await keys.revoke(made.id)).revoked_at == ended.revoked_at
    with pytest.raises(UnauthorizedError):
        await keys.caller(made.token)
    assert ended.id in [key.id for key in await keys.list()]


@pytest.mark.parametrize(
    "change",
    [
        lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
        str.upper,
        lambda token: token + "a",
        lambda token: f" {token}",
    ],
)
async def test_a_key_that_is_almost_right_opens_nothing(keys: ApiKeys, change: object) -> None:
    made = await keys.create("app", ["public"], [])
    token = change(made.token)  # type: ignore[operator]
    with pytest.raises(UnauthorizedError):
        await keys.caller(token)


async def test_a_key_of_an_unknown_id_opens_nothing(keys: ApiKeys) -> None:
    with pytest.raises(UnauthorizedError):
        await keys.caller("clause_01JD7W9ZB6V3Q7T5N9S4E2M8XK_" + "a" * 43)


@pytest.mark.parametrize("token", ["", "x", "clause_", "clause_1_2", "Bearer x", "\0", "clause_" + "é" * 26 + "_x"])
async def test_what_is_no_key_is_refused(keys: ApiKeys, token: str) -> None:
    await keys.create("app", ["public"], [])
    with pytest.raises(UnauthorizedError):
        await keys.caller(token)


async def test_an_unknown_key_cannot_be_revoked(keys: ApiKeys) -> None:
    with pytest.raises(NotFoundError):
        await keys.revoke("nobody")


async def test_a_key_needs_a_name_and_a_scope_that_is_one(keys: ApiKeys) -> None:
    with pytest.raises(BadInputError, match="name"):
        await keys.create("  ", ["public"], [])
    with pytest.raises(BadInputError, match="needs a scope"):
        await keys.create("app", [], [])
    with pytest.raises(BadInputError, match="not a scope"):
        await keys.create("app", ["*"], [])


async def test_keys_are_in_force_until_the_last_is_revoked(keys: ApiKeys) -> None:
    made = await keys.create("app", ["public"], [])
    assert await keys.any_in_force()
    for key in await keys.list():
        await keys.revoke(key.id)
    assert not await keys.any_in_force()
    assert (await keys.list())[0].id == made.id


async def test_a_key_ends_by_itself(file: KeyFile) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    keys = ApiKeys(file, now=lambda: clock[0])
    made = await keys.create("app", ["public"], [], lasts=timedelta(days=1))
    for_ever = await keys.create("old", ["public"], [], lasts=None)
    clock[0] += timedelta(hours=23)
    assert (await keys.caller(made.token)).key_id == made.id
    clock[0] += timedelta(hours=1)
    with pytest.raises(UnauthorizedError):
        await keys.caller(made.token)
    assert (await keys.caller(for_ever.token)).key_id == for_ever.id


async def test_a_year_is_how_long_a_key_lasts_unless_said_otherwise(keys: ApiKeys) -> None:
    made = await keys.create("app", ["public"], [])
    assert made.expires_at == made.created_at + timedelta(days=365)


async def test_a_rotated_key_opens_with_its_new_secret_alone(keys: ApiKeys) -> None:
    made = await keys.create("app", ["public"], ["user:ann"])
    turned = await keys.rotate(made.id)
    assert (turned.id, turned.writable) == (made.id, ("user:ann",))
    assert (await keys.caller(turned.token)).key_id == made.id
    with pytest.raises(UnauthorizedError):
        await keys.caller(made.token)
    await keys.revoke(made.id)
    with pytest.raises(ConflictError):
        await keys.rotate(made.id)


async def test_the_old_secret_opens_until_the_overlap_has_passed(file: KeyFile) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    keys = ApiKeys(file, now=lambda: clock[0])
    made = await keys.create("app", ["public"], [])
    turned = await keys.rotate(made.id, overlap=timedelta(hours=1))
    for token in (made.token, turned.token):
        assert (await keys.caller(token)).key_id == made.id
    clock[0] += timedelta(hours=1)
    assert (await keys.caller(turned.token)).key_id == made.id
    with pytest.raises(UnauthorizedError):
        await keys.caller(made.token)


async def test_a_revoked_key_opens_nothing_during_an_overlap_either(keys: ApiKeys) -> None:
    made = await keys.create("app", ["public"], [])
    await keys.rotate(made.id, overlap=timedelta(hours=1))
    await keys.revoke(made.id)
    with pytest.raises(UnauthorizedError):
        await keys.caller(made.token)


async def test_the_last_use_is_noted_now_and_then(file: KeyFile) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    keys = ApiKeys(file, now=lambda: clock[0])
    made = await keys.create("app", ["public"], [])
    await keys.caller(made.token)
    written = file.path.stat().st_ino
    clock[0] += timedelta(minutes=4)
    await keys.caller(made.token)
    assert file.path.stat().st_ino == written
    clock[0] += timedelta(minutes=2)
    await keys.caller(made.token)
    assert (await keys.list())[0].last_used_at == clock[0]


async def test_what_another_process_changed_is_seen_at_once(keys: ApiKeys, file: KeyFile) -> None:
    made = await keys.create("app", ["public"], [])
    await keys.caller(made.token)
    await ApiKeys(KeyFile(file.path)).revoke(made.id)
    with pytest.raises(UnauthorizedError):
        await keys.caller(made.token)


async def test_processes_that_make_keys_at_once_lose_none(file: KeyFile) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; from clause.operations.key_file import KeyFile; "
        "from clause.operations.keys import ApiKeys; keys = ApiKeys(KeyFile(Path(sys.argv[1])))\n"
        "for _ in range(5): asyncio.run(keys.create('app', ['public'], []))"
    )
    command = [sys.executable, "-c", code, str(file.path)]
    running = [await asyncio.create_subprocess_exec(*command) for _ in range(3)]
    assert [await process.wait() for process in running] == [0, 0, 0]
    assert len(await ApiKeys(file).list()) == 15


@pytest.mark.parametrize("what", ["link", "open to others", "folder", "other text", "unknown field", "fifo"])
async def test_a_file_that_is_not_ours_opens_nothing(keys: ApiKeys, file: KeyFile, tmp_path: Path, what: str) -> None:
    made = await keys.create("app", ["public"], [])
    text = file.path.read_text()
    file.path.unlink()
    if what == "link":
        (tmp_path / "elsewhere").write_text(text)
        (tmp_path / "elsewhere").chmod(0o600)
        file.path.symlink_to(tmp_path / "elsewhere")
    elif what == "folder":
        file.path.mkdir(mode=0o700)
    elif what == "fifo":
        os.mkfifo(file.path, 0o600)
    else:
        changed = json.dumps({**json.loads(text), "owner": True}) if what == "unknown field" else "{}x"
        file.path.write_text(text if what == "open to others" else changed)
        file.path.chmod(0o644 if what == "open to others" else 0o600)
    with pytest.raises(SettingsError, match="API keys"):
        await keys.caller(made.token)
    with pytest.raises(SettingsError, match="API keys"):
        await keys.create("more", ["public"], [])
