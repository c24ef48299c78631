"""Loading: triples and passages into a scope, and the vectors of what is there."""
