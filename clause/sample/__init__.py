"""The sample graph that ships with clause: MetaQA's films, with the vectors of their names."""

from clause.sample.files import SCOPE
from clause.sample.loader import SampleReport, load_sample

__all__ = ["SCOPE", "SampleReport", "load_sample"]
