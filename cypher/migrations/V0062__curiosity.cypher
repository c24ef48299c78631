// Hops that came out otherwise than expected, queued for investigation.
CREATE CONSTRAINT curiosity_trigger_id IF NOT EXISTS FOR (n:CuriosityTrigger) REQUIRE n.id IS UNIQUE;
CREATE INDEX curiosity_trigger_status IF NOT EXISTS FOR (n:CuriosityTrigger) ON (n.investigation_status, n.scope);
