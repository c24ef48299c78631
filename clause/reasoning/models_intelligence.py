"""Models of the four integrations, which live in their own room: handed on under the seed's names."""

from clause.intelligence.models import BasinContext, CausalIntervention, CuriosityTrigger, ThoughtSeed

__all__ = ["BasinContext", "CausalIntervention", "CuriosityTrigger", "ThoughtSeed"]
