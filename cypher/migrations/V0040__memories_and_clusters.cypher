// Keys of memories and clusters; a memory's place in its scope finds what was said before and after it.
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (n:Memory) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT memory_write_key IF NOT EXISTS FOR (n:Memory) REQUIRE n.write_key IS UNIQUE;
CREATE CONSTRAINT memory_cluster_id IF NOT EXISTS FOR (n:MemoryCluster) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT memory_cluster_number IF NOT EXISTS FOR (n:MemoryCluster) REQUIRE n.cluster_id IS UNIQUE;
CREATE INDEX memory_place IF NOT EXISTS FOR (n:Memory) ON (n.scope, n.sequence);
CREATE INDEX memory_cluster_scope IF NOT EXISTS FOR (n:MemoryCluster) ON (n.scope, n.cluster_id);
CREATE INDEX memory_cluster_unsettled IF NOT EXISTS FOR (n:MemoryCluster) ON (n.settled, n.scope, n.cluster_id);
