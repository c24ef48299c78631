"""Settings of the networks and of their training; each with its effect. They travel in the checkpoint's JSON."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clause.errors import BadInputError, NotFoundError


class NetworkConfig(BaseModel):
    """Sizes of the networks.

    >>> NetworkConfig().dimension
    384
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: int = Field(384, ge=2, description="numbers in a vector of the embedder (D)")
    hidden: int = Field(128, ge=4, description="width of the relationship scorer (H)")
    option_hidden: int = Field(32, ge=4, description="width of the agents' networks over their options")
    deletes: bool = Field(True, description="whether the Architect may delete what holds up no answer")


class CloningConfig(BaseModel):
    """The warm start: behaviour cloning on weak shortest patterns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions_per_file: int = Field(4000, ge=1, description="questions drawn from each question file")
    epochs: int = Field(24, ge=1, description="passes over the questions")
    batch: int = Field(256, ge=1, description="questions in a gradient step")
    learning_rate: float = Field(2e-3, gt=0, description="of Adam, falling to 0 by a cosine")
    paraphrase: float = Field(0.9, ge=0, le=1, description="share of types shown under another name in a step")
    type_noise: float = Field(
        0.6, ge=0, description="length of the noise on a type's unit vector, so that names may vary"
    )
    withheld: float = Field(
        0.15,
        ge=0,
        lt=1,
        description="share of types without a learned score in a step: likeness is learned",
    )
    distractors: int = Field(8, ge=0, description="types no question is about, added to the choice in a step")
    word_dropout: float = Field(0.2, ge=0, lt=1, description="share of a question's words hidden in a step")
    max_hops: int = Field(3, ge=1, le=5, description="longest pattern that is looked for")


class LearningConfig(BaseModel):
    """LC-MAPPO. The published recipe is the defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    iterations: int = Field(120, ge=0, description="rounds of rollout, dual step and update")
    episodes: int = Field(192, ge=1, description="episodes of a round")
    epochs: int = Field(4, ge=1, description="passes over a round's decisions")
    minibatch: int = Field(384, ge=1, description="decisions of a gradient step")
    clip: float = Field(0.2, gt=0, lt=1, description="how far PPO's ratio may move; usually 0.1 to 0.3")
    actor_rate: float = Field(2e-3, gt=0, description="of Adam, for the actors; falls linearly to a tenth")
    critic_rate: float = Field(3e-3, gt=0, description="of Adam, for the critic: the fastest of the three")
    entropy: float = Field(0.005, ge=0, description="weight of the entropy bonus; falls linearly to a tenth")
    gradient_norm: float = Field(0.5, gt=0, description="longest gradient")
    decay: float = Field(0.95, ge=0, le=1, description="lambda of TD(lambda)")
    price_share: float = Field(0.3, ge=0, le=1, description="share of price episodes")
    change_share: float = Field(0.15, ge=0, le=1, description="share of cap episodes whose limits change once")
    counterfactual: bool = Field(
        True,
        description="baseline: the policy's expectation of Q over its own options; without, V(s) of the state alone",
    )
    mixer: Literal["monotone", "sum"] = Field("monotone", description="how the agents' task values become one")
    penalised: bool = Field(False, description="RCPO: one head for the reward less the weighed costs")
    active: tuple[Literal["edges", "steps", "tokens", "chance"], ...] = Field(
        ("edges", "steps", "tokens", "chance"), description="constraints with a multiplier"
    )
    bins: int = Field(4, ge=1, description="bins of limits with their own multipliers; 1: one global multiplier")
    chance_limit: float = Field(0.03, gt=0, lt=1, description="share of unmasked episodes that may exceed any limit")
    dual_rate: float = Field(0.4, ge=0, description="rate of the multipliers: the slowest; 0 freezes them")
    dual_proportional: float = Field(0.0, ge=0, description="PID: the proportional part")
    dual_derivative: float = Field(0.0, ge=0, description="PID: the derivative part")
    dual_start: float = Field(0.01, ge=0, description="where multipliers begin (decision 8)")
    held: Mapping[str, tuple[float, ...]] | None = Field(
        None, description="multipliers of each constraint by bin, held as they are; None lets them move"
    )


PUBLISHED = Path(__file__).parent / "train" / "recipe.toml"


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
