// Keys of what agents learn from: experiences (one open for a session: open_key is there only meanwhile), clustering runs,
// clusters, values.
CREATE CONSTRAINT experience_id IF NOT EXISTS FOR (n:Experience) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT experience_open_key IF NOT EXISTS FOR (n:Experience) REQUIRE n.open_key IS UNIQUE;
CREATE CONSTRAINT clustering_run_id IF NOT EXISTS FOR (n:ClusteringRun) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT value_cluster_id IF NOT EXISTS FOR (n:ValueCluster) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT value_cluster_cluster_id IF NOT EXISTS FOR (n:ValueCluster) REQUIRE n.cluster_id IS UNIQUE;
CREATE CONSTRAINT value_id IF NOT EXISTS FOR (n:Value) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT value_value_id IF NOT EXISTS FOR (n:Value) REQUIRE n.value_id IS UNIQUE;
CREATE INDEX experience_scope IF NOT EXISTS FOR (n:Experience) ON (n.scope, n.id);
CREATE INDEX clustering_run_scope IF NOT EXISTS FOR (n:ClusteringRun) ON (n.scope, n.axis, n.id);
CREATE INDEX value_scope IF NOT EXISTS FOR (n:Value) ON (n.scope, n.value_number);
