"""The file that keeps API keys: 0600, in the home folder, replaced in one step, under a lock that processes share.

Keys do not live in the graph: whatever a statement, an archive or another tenant can reach there, no key is among it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clause.errors import SettingsError
from clause.graph.server.pidfile import replace_privately

NAME = "keys.json"
MAX_BYTES = 4 << 20
_LOCK_S = 10.0


class StoredKey(BaseModel):
    """A key as the file has it: scopes and times, and the SHA-256 of its secret."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[0-9A-Z]{26}$")
    name: str = Field(min_length=1, max_length=100)
    secret_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    readable: tuple[str, ...] | None
    writable: tuple[str, ...] | None
    default: tuple[str, ...] | None = None
    person: bool = False
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    previous_hash: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    previous_until: datetime | None = None


class KeyBook(BaseModel):
    """The whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = Field(1, ge=1, le=1)
    keys: tuple[StoredKey, ...] = ()


class KeyFile:
    """Reads and replaces the file; reading again what has not changed costs one look at it.

    Args:
        path: where it is; nothing is there before the first change.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, ...] | None = None
        self._keys: dict[str, StoredKey] = {}

    def exists(self) -> bool:
        """True once keys were kept here, even where none is left."""
        return os.path.lexists(self.path)

    def read(self) -> dict[str, StoredKey]:
        """The keys by id, oldest first.

        Raises:
            SettingsError: the file is a link, open to others, or holds something else.
        """
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._wrong(error.strerror or "it cannot be read") from error
        now = os.fstat(descriptor)
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, descriptor)
            if not stat.S_ISREG(now.st_mode):
                raise self._wrong("it is no plain file")
            if stat.S_IMODE(now.st_mode) & 0o077:
                raise self._wrong("others than its owner may open it", remedy=f"chmod 600 {self.path}")
            seen = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
            if seen == self._seen:
                return dict(self._keys)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                text = file.read(MAX_BYTES + 1)
        try:
            if len(text) > MAX_BYTES:
                raise ValueError("too long")
            book = KeyBook.model_validate_json(text)
        except (ValidationError, ValueError) as error:
            raise self._wrong("it holds something else than keys") from error
        self._seen, self._keys = seen, {key.id: key for key in book.keys}
        return dict(self._keys)

    @contextlib.contextmanager
    def changing(self) -> Iterator[dict[str, StoredKey]]:
        """The keys to change in place, while no other process does; written when the block ends well.

        Raises:
            SettingsError: as for `read`, or another process holds the lock too long, or it cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(f"{self.path}.lock", timeout=_LOCK_S, mode=0o600):
                before = self.read()
                keys = dict(before)
                yield keys
                if keys != before or not self.exists():
                    replace_privately(self.path, KeyBook(keys=tuple(keys.values())).model_dump_json(indent=1) + "\n")
        except Timeout as error:
            raise self._wrong("another process has held it for too long", remedy="try again") from error
        except OSError as error:
            raise self._wrong(error.strerror or "it cannot be written") from error

    def _wrong(self, reason: str, remedy: str = "mend it, or restore it from a copy") -> SettingsError:
        return SettingsError(f"the file of API keys {self.path}: {reason}", remedy=remedy)
