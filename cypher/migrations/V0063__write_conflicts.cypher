// Writes of agents that met, and how each was settled.
CREATE CONSTRAINT write_conflict_id IF NOT EXISTS FOR (n:WriteConflict) REQUIRE n.id IS UNIQUE;
CREATE INDEX write_conflict_scope IF NOT EXISTS FOR (n:WriteConflict) ON (n.scope, n.id);
