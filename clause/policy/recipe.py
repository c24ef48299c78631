"""A training recipe: everything that decides its outcome besides the data. `recipe.toml` is the published one."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clause.errors import BadInputError, NotFoundError
from clause.policy.config import CloningConfig, LearningConfig, NetworkConfig

PUBLISHED = Path(__file__).parent / "recipe.toml"


class Recipe(BaseModel):
    """Cloning, demonstrations, then reinforcement learning, from one seed.

    >>> Recipe(seed=3).seed
    3
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = Field(0, ge=0, description="of every random draw")
    network: NetworkConfig = NetworkConfig()
    cloning: CloningConfig = CloningConfig()
    learning: LearningConfig = LearningConfig()
    demonstrations: int = Field(1200, ge=1, description="questions on which the agents imitate depth-first search")
    imitation_epochs: int = Field(12, ge=0, description="passes over those demonstrations; 0: the agents start blank")
    stop_share: float = Field(0.03, ge=0, lt=1, description="share of STOP in what they imitate, so that it is tried")
    learning_questions: int = Field(2700, ge=1, description="questions that reinforcement learning plays")
    long_share: float = Field(0.75, ge=0, le=1, description="share of them whose pattern is the longest there is")
    largest_answer_set: int = Field(80, ge=1, description="questions with more answers are not played")
    validation: int = Field(160, ge=0, description="training questions kept apart, by which the best round is chosen")
    validate_every: int = Field(10, ge=1, description="rounds between validations, and between saved states")

    @property
    def fingerprint(self) -> str:
        """A hash of all settings: a run is resumed only under the recipe that began it."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    @classmethod
    def read(cls, path: Path = PUBLISHED, **changes: object) -> Recipe:
        """The recipe of a TOML file, with single top-level fields replaced.

        Raises:
            NotFoundError: there is no such file.
            BadInputError: it is no TOML, or a field is unknown or out of its bounds; the message names it.
        """
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8"))
            return cls.model_validate({**found, **changes})
        except FileNotFoundError as error:
            raise NotFoundError(f"no recipe at {path}", field="config") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise BadInputError(f"{path.name} is no TOML: {error}", field="config") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise BadInputError(f"{path.name}: {place}: {first['msg']}", field="config") from error
