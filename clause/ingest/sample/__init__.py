"""The samples that ship with clause: MetaQA's films with the vectors of their names, and a valley told in passages."""

from clause.ingest.sample.loader import SCOPE, SampleReport, load_sample, load_texts

__all__ = ["SCOPE", "SampleReport", "load_sample", "load_texts"]
