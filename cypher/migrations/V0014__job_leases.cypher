// One lease for one resource: who works there, until when by the server's clock.
CREATE CONSTRAINT job_lease_id IF NOT EXISTS FOR (n:JobLease) REQUIRE n.id IS UNIQUE;
CREATE INDEX job_resource IF NOT EXISTS FOR (n:Job) ON (n.kind, n.resource);
