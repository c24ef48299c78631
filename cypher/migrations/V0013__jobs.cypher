// Jobs carry their own lease (owner, expires_at); listed newest first, taken oldest first.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (n:Job) REQUIRE n.id IS UNIQUE;
CREATE INDEX job_state IF NOT EXISTS FOR (n:Job) ON (n.state, n.id);
