// Keys of what answers leave behind: runs and their steps, policies, evidence and its provenance.
CREATE CONSTRAINT run_id IF NOT EXISTS FOR (n:Run) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT run_step_id IF NOT EXISTS FOR (n:RunStep) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT policy_id IF NOT EXISTS FOR (n:Policy) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT evidence_id IF NOT EXISTS FOR (n:Evidence) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT provenance_id IF NOT EXISTS FOR (n:Provenance) REQUIRE n.id IS UNIQUE;
CREATE INDEX run_scope IF NOT EXISTS FOR (n:Run) ON (n.scope, n.id);
CREATE INDEX evidence_scope IF NOT EXISTS FOR (n:Evidence) ON (n.scope);
