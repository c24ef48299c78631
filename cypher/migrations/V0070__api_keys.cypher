// API keys are listed newest first; their unique id has been there from the start.
CREATE INDEX api_key_recorded IF NOT EXISTS FOR (n:ApiKey) ON (n.scope, n.recorded_at);
