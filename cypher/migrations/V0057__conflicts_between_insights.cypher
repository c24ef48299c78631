// Conflicts are found by their own id and by their topic's key.
CREATE CONSTRAINT conflicts_with_id IF NOT EXISTS FOR ()-[r:CONFLICTS_WITH]-() REQUIRE r.id IS UNIQUE;
CREATE INDEX insight_topic_key IF NOT EXISTS FOR (n:Insight) ON (n.topic_key, n.scope);
