// What was merged or retracted, and the state of before that undoing it restores.
CREATE CONSTRAINT receipt_id IF NOT EXISTS FOR (n:Receipt) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT kept_id IF NOT EXISTS FOR (n:Kept) REQUIRE n.id IS UNIQUE;
CREATE INDEX receipt_scope IF NOT EXISTS FOR (n:Receipt) ON (n.scope, n.id);
CREATE INDEX kept_node IF NOT EXISTS FOR (n:Kept) ON (n.node_id);
CREATE INDEX evidence_unit IF NOT EXISTS FOR (n:Evidence) ON (n.unit);
CREATE INDEX source_scope IF NOT EXISTS FOR (n:Source) ON (n.scope, n.id);
