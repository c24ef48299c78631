// Keys of the nodes that keep the graph in order: versions, models, counters, requests, API keys, scopes.
CREATE CONSTRAINT schema_version_id IF NOT EXISTS FOR (n:SchemaVersion) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT schema_version_sequence IF NOT EXISTS FOR (n:SchemaVersion) REQUIRE n.sequence IS UNIQUE;
CREATE CONSTRAINT embedding_model_id IF NOT EXISTS FOR (n:EmbeddingModel) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT counter_id IF NOT EXISTS FOR (n:Counter) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT idempotency_key_id IF NOT EXISTS FOR (n:IdempotencyKey) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (n:ApiKey) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT scope_id IF NOT EXISTS FOR (n:Scope) REQUIRE n.id IS UNIQUE;
CREATE INDEX idempotency_key_expiry IF NOT EXISTS FOR (n:IdempotencyKey) ON (n.expires_at);
