"""Three agents over the graph: build a subgraph, walk it, choose the evidence, under hard budgets."""
