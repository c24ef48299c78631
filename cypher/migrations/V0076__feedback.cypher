// Verdicts on answers: what the calibration of a scope and the track records of sources learn from.
CREATE CONSTRAINT feedback_id IF NOT EXISTS FOR (n:Feedback) REQUIRE n.id IS UNIQUE;
CREATE INDEX feedback_scope IF NOT EXISTS FOR (n:Feedback) ON (n.scope, n.recorded_at);
