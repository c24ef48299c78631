// Keys of conversations. A session's `key` is its client's own id where one is given: started twice, it is one session.
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (n:Session) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (n:Session) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT exchange_id IF NOT EXISTS FOR (n:Exchange) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT exchange_sequence IF NOT EXISTS FOR (n:Exchange) REQUIRE (n.session_id, n.sequence) IS UNIQUE;
CREATE CONSTRAINT pattern_id IF NOT EXISTS FOR (n:Pattern) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT pattern_key IF NOT EXISTS FOR (n:Pattern) REQUIRE n.key IS UNIQUE;
CREATE INDEX session_scope IF NOT EXISTS FOR (n:Session) ON (n.scope, n.id);
CREATE INDEX session_room IF NOT EXISTS FOR (n:Session) ON (n.room_id);
CREATE INDEX pattern_scope IF NOT EXISTS FOR (n:Pattern) ON (n.scope, n.id);
CREATE INDEX pattern_last_seen IF NOT EXISTS FOR (n:Pattern) ON (n.last_seen);
