// Why a belief is held: support, provenance and sources of the beliefs with most behind them
// Look for: several Sources behind one Belief are corroboration; one Source behind many beliefs is a single witness.
CYPHER 25
MATCH (b:Belief)
WITH b, COUNT { (b)-[:SUPPORTED_BY|HAS_PROVENANCE|DERIVED_FROM]->() } AS behind
ORDER BY behind DESC, b.id LIMIT 15
MATCH path = (b)-[:SUPPORTED_BY|HAS_PROVENANCE|DERIVED_FROM|FROM]->{1,3}()
RETURN path
LIMIT 150;
