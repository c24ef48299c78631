"""`Idempotency-Key` on writes: the first answer is kept and given again, so that a retry does nothing twice."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response

from clause.api.dependencies import CallerDependency, Services
from clause.api.strict_json import StrictJSONResponse
from clause.errors import BadInputError

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
