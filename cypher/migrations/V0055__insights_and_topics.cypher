// Keys of insights, the topics that they are on, and the record of what was marked.
CREATE CONSTRAINT insight_id IF NOT EXISTS FOR (n:Insight) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT topic_id IF NOT EXISTS FOR (n:Topic) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT topic_key IF NOT EXISTS FOR (n:Topic) REQUIRE (n.scope, n.key) IS UNIQUE;
CREATE CONSTRAINT insight_change_id IF NOT EXISTS FOR (n:InsightChange) REQUIRE n.id IS UNIQUE;
CREATE INDEX topic_reference IF NOT EXISTS FOR (n:Topic) ON (n.reference, n.scope);
CREATE INDEX insight_category IF NOT EXISTS FOR (n:Insight) ON (n.category, n.scope, n.id);
CREATE INDEX insight_scope IF NOT EXISTS FOR (n:Insight) ON (n.scope, n.id);
