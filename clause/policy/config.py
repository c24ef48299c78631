"""Settings of the networks and of their training; each with its effect. They travel in the checkpoint's JSON."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class NetworkConfig(BaseModel):
    """Sizes of the networks.

    >>> NetworkConfig().dimension
    384
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: int = Field(384, ge=2, description="numbers in a vector of the embedder (D)")
    hidden: int = Field(128, ge=4, description="width of the relationship scorer (H)")
    option_hidden: int = Field(32, ge=4, description="width of the agents' networks over their options")


class CloningConfig(BaseModel):
    """The warm start: behaviour cloning on weak shortest patterns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions_per_file: int = Field(4000, ge=1, description="questions drawn from each question file")
    epochs: int = Field(24, ge=1, description="passes over the questions")
    batch: int = Field(256, ge=1, description="questions in a gradient step")
    learning_rate: float = Field(2e-3, gt=0, description="of Adam, falling to 0 by a cosine")
    paraphrase: float = Field(0.5, ge=0, le=1, description="share of types shown under another name in a step")
    distractors: int = Field(8, ge=0, description="types no question is about, added to the choice in a step")
    word_dropout: float = Field(0.1, ge=0, lt=1, description="share of a question's words hidden in a step")
    max_hops: int = Field(3, ge=1, le=5, description="longest pattern that is looked for")
