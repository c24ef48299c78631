"""The metrics, one a file. Shares are 0..1; every function is pure and leaves its arguments as they are."""

from clause.evaluation.metrics.em_at_1 import em_at_1
from clause.evaluation.metrics.f1 import f1
from clause.evaluation.metrics.mrr import mrr
from clause.evaluation.metrics.ndcg import ndcg
from clause.evaluation.metrics.recall_at_k import recall_at_k

__all__ = ["em_at_1", "f1", "mrr", "ndcg", "recall_at_k"]
