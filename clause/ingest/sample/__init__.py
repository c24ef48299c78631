"""The sample graph that ships with clause: MetaQA's films, with the vectors of their names."""

from clause.ingest.sample.loader import SCOPE, SampleReport, load_sample

__all__ = ["SCOPE", "SampleReport", "load_sample"]
