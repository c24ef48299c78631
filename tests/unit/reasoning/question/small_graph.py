"""A graph in memory that answers at once, from lines `head<TAB>relation<TAB>tail`; `class` lines say classes."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.text.literals import String, read_literal
from clause.text.mentions import folded_key

HERE = Path(__file__).parent


class SmallGraph:
    """Implements `TypedGraph`; a node's id is its name. Counts reads and edges, so that bounds can be checked."""

    def __init__(self, triples):
        self.hops = defaultdict(lambda: defaultdict(list))
        self.kinds = defaultdict(set)
        self.reads = 0
        self.edges_read = 0
        for head, relation, tail in triples:
            if relation == "class":
                self.kinds[head].add(tail)
                continue
            edge = Edge(head, relation, tail)
            self.hops[head][Hop(relation, True)].append(edge)
            self.hops[tail][Hop(relation, False)].append(edge)

    @classmethod
    def load(cls, name):
        lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        return cls(tuple(line.split("\t")) for line in lines)

    def around(self, nodes, hops, per_type, most=0):
        self.reads += 1
        found = {}
        nodes = (
            nodes
            or sorted(node for node, mine in self.hops.items() if set(hops or mine) & set(mine))[: most or per_type]
        )
        for node in nodes:
            mine = self.hops.get(node, {})
            kept = {
                hop: sorted(mine[hop], key=lambda e: e.other(node))[:per_type] for hop in hops or mine if hop in mine
            }
            self.edges_read += sum(map(len, kept.values()))
            if node in self.hops:
                found[node] = kept
        return found

    def name(self, node):
        return node

    def value(self, node):
        read = read_literal(node)
        return None if isinstance(read, String) else read

    def classes(self, node):
        return frozenset(self.kinds.get(node, ()))

    def linked(self, name):
        """Ids of what is called so: case, blanks, hyphens and underscores make no difference."""
        key = folded_key(name.replace("_", " ").replace("-", " "))
        return [node for node in self.hops if folded_key(node.replace("_", " ").replace("-", " ")) == key]
