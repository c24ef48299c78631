// Keys of beliefs and tensions. `live_hash` is the content hash of a belief that is still held: two creations of one
// text at one instant meet in it; a superseded, archived, retracted or merged belief has none.
CREATE CONSTRAINT belief_id IF NOT EXISTS FOR (n:Belief) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT belief_live_hash IF NOT EXISTS FOR (n:Belief) REQUIRE (n.scope, n.live_hash) IS UNIQUE;
CREATE CONSTRAINT tension_id IF NOT EXISTS FOR (n:Tension) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT tension_pair IF NOT EXISTS FOR (n:Tension) REQUIRE n.pair IS UNIQUE;
CREATE INDEX belief_scope IF NOT EXISTS FOR (n:Belief) ON (n.scope, n.id);
CREATE INDEX belief_content_hash IF NOT EXISTS FOR (n:Belief) ON (n.scope, n.content_hash);
CREATE INDEX belief_scanned IF NOT EXISTS FOR (n:Belief) ON (n.scope, n.scanned_at);
CREATE INDEX tension_scope IF NOT EXISTS FOR (n:Tension) ON (n.scope, n.id);
CREATE INDEX provenance_session IF NOT EXISTS FOR (n:Provenance) ON (n.session_id);
