"""Text files, plain or gzipped, opened for reading."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from clause.errors import BadInputError, NotFoundError


@contextmanager
def open_text(path: Path, *, bad_bytes: str = "strict", field: str = "file") -> Iterator[io.TextIOWrapper]:
    """A text stream of a UTF-8 file, unpacked if its name ends in .gz; line ends stay as they are.

    Args:
        path: the file.
        bad_bytes: what to do with bytes that are not UTF-8, as `open`'s `errors` says it.
        field: the input that errors name.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: it cannot be read, is damaged, or is not UTF-8.
    """
    try:
        with path.open("rb") as raw:
            packed = path.name.endswith(".gz")
            stream: IO[bytes] = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment]
            with io.TextIOWrapper(stream, encoding="utf-8-sig", errors=bad_bytes, newline="") as lines:
                yield lines
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {path.name}", remedy="check the path", field=field) from error
    except (IsADirectoryError, PermissionError) as error:
        raise BadInputError(f"{path.name} cannot be read: {error.strerror}", field=field) from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name} is not UTF-8: {error.reason}", field=field) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadInputError(f"{path.name} is damaged: {error}", remedy="fetch the file again", field=field) from error
