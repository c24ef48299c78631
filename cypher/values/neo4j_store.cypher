// values/axis_vectors, vectors of the resolved experiences of a scope on one axis, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scope STRING, $domain STRING, $property STRING, $dimension INTEGER, $after STRING, $limit INTEGER
// columns:    id, embedding, tier
CYPHER 25 MATCH (n:Experience)
WHERE n.scope = $scope AND n.id > $after AND n.open_key IS NULL AND n.retracted_at IS NULL
  AND n[$property] IS NOT NULL AND size(n[$property]) = $dimension AND ($domain IS NULL OR n.domain = $domain)
WITH n ORDER BY n.scope, n.id LIMIT $limit
RETURN n.id AS id, vector(n[$property], $dimension, FLOAT32) AS embedding, n.confidence_tier AS tier
ORDER BY id

// values/save_run, a clustering run
// mode:       write
// returns:    none
// parameters: $id STRING, $properties MAP
// columns:    none
CYPHER 25 MERGE (n:ClusteringRun {id: $id})
ON CREATE SET n += $properties

// values/save_clusters, the clusters of a run; a row is {id, centroid, properties}
// mode:       write
// returns:    none
// parameters: $run_id STRING, $scope STRING, $recorded_at ZONED DATETIME, $rows LIST<MAP>
// columns:    none
CYPHER 25 MATCH (run:ClusteringRun {id: $run_id})
WHERE run.scope = $scope
UNWIND $rows AS row
MERGE (n:ValueCluster {id: row.id})
ON CREATE SET n += row.properties, n.centroid = toFloatList(row.centroid), n.embedding = toFloatList(row.centroid)
MERGE (n)-[of:OF_RUN]->(run)
ON CREATE SET of.scope = $scope, of.recorded_at = $recorded_at

// values/save_members, which experiences are in which cluster; a row is [cluster, experience, weight]. What has gone
//                      meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $scope STRING, $recorded_at ZONED DATETIME, $rows LIST<LIST<ANY>>
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (cluster:ValueCluster {id: row[0]})
MATCH (member:Experience {id: row[1]})
WHERE cluster.scope = $scope AND member.scope = $scope
MERGE (member)-[in:IN_CLUSTER]->(cluster)
ON CREATE SET in.scope = $scope, in.recorded_at = $recorded_at, in.weight = row[2]

// values/runs, clustering runs newest first, older than a given id, or the one of an id; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $axis STRING, $before STRING, $run_id STRING, $limit INTEGER
// columns:    run
CYPHER 25 MATCH (n:ClusteringRun)
WHERE n.scope IN $scopes AND ($axis IS NULL OR n.axis = $axis) AND ($before IS NULL OR n.id < $before)
  AND ($run_id IS NULL OR n.id = $run_id)
RETURN n {.*} AS run
ORDER BY n.id DESC
LIMIT $limit

// values/clusters, the clusters of a run with their members, largest first
// mode:       read
// returns:    many
// parameters: $run_id STRING, $scopes LIST<STRING>, $dimension INTEGER, $limit INTEGER
// columns:    cluster_id, run_id, scope, axis, label, centroid, size, avg_weight, embedding_model, member_ids
CYPHER 25 MATCH (:ClusteringRun {id: $run_id})<-[:OF_RUN]-(n:ValueCluster)
WHERE n.scope IN $scopes AND size(n.centroid) = $dimension
RETURN n.cluster_id AS cluster_id, n.run_id AS run_id, n.scope AS scope, n.axis AS axis, n.label AS label,
  vector(n.centroid, $dimension, FLOAT32) AS centroid, n.size AS size, n.avg_weight AS avg_weight,
  n.embedding_model AS embedding_model,
  COLLECT { MATCH (n)<-[:IN_CLUSTER]-(e:Experience) WHERE e.retracted_at IS NULL RETURN e.id ORDER BY e.id } AS member_ids
ORDER BY size DESC, label
LIMIT $limit

// values/cluster, one cluster with its members
// mode:       read
// returns:    maybe
// parameters: $cluster_id STRING, $scopes LIST<STRING>, $dimension INTEGER
// columns:    cluster_id, run_id, scope, axis, label, centroid, size, avg_weight, embedding_model, member_ids
CYPHER 25 MATCH (n:ValueCluster {cluster_id: $cluster_id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND size(n.centroid) = $dimension
RETURN n.cluster_id AS cluster_id, n.run_id AS run_id, n.scope AS scope, n.axis AS axis, n.label AS label,
  vector(n.centroid, $dimension, FLOAT32) AS centroid, n.size AS size, n.avg_weight AS avg_weight,
  n.embedding_model AS embedding_model,
  COLLECT { MATCH (n)<-[:IN_CLUSTER]-(e:Experience) WHERE e.retracted_at IS NULL RETURN e.id ORDER BY e.id } AS member_ids

// values/members, members of a cluster in the order of their ids, with the vector on the cluster's axis
// mode:       read
// returns:    many
// parameters: $cluster_id STRING, $scope STRING, $property STRING, $dimension INTEGER, $after STRING, $limit INTEGER
// columns:    id, embedding, weight, entry, entities
CYPHER 25 MATCH (:ValueCluster {cluster_id: $cluster_id})<-[in:IN_CLUSTER]-(n:Experience)
WHERE n.scope = $scope AND n.id > $after AND n.retracted_at IS NULL AND size(n[$property]) = $dimension
WITH n, in ORDER BY n.id LIMIT $limit
RETURN n.id AS id, vector(n[$property], $dimension, FLOAT32) AS embedding, in.weight AS weight,
  n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
ORDER BY id

// values/create_value, a value of a cluster under the next readable id: a counter of microseconds never gives one twice
// mode:       write
// returns:    maybe
// parameters: $id STRING, $cluster_id STRING, $scope STRING, $micros INTEGER, $now ZONED DATETIME, $embedding VECTOR,
//             $properties MAP
// columns:    value_id
CYPHER 25 MERGE (clock:Counter {id: 'public/value_clock'})
ON CREATE SET clock.scope = 'public', clock.value = 0
SET clock.recorded_at = $now
WITH clock
MATCH (cluster:ValueCluster {cluster_id: $cluster_id})
WHERE cluster.scope = $scope
MERGE (n:Value {id: $id})
ON CREATE SET clock.value = CASE WHEN clock.value >= $micros THEN clock.value + 1 ELSE $micros END
WITH n, cluster, clock
WHERE n.value_id IS NULL
SET n += $properties, n.value_number = clock.value, n.embedding = toFloatList($embedding), n.degree = 1,
    n.created_at = datetime.fromepoch(clock.value / 1000000, clock.value % 1000000 * 1000),
    cluster.degree = coalesce(cluster.degree, 0) + 1,
    n.contexts = COLLECT {
      MATCH (cluster)<-[:IN_CLUSTER]-(e:Experience)
      RETURN DISTINCT replace(e.domain, '/', '\u2215') + '/' + replace(e.strategy, '/', '\u2215') AS context
      ORDER BY context LIMIT 1000
    }
SET n.value_id = 'value_' + cluster.axis + '_' + cluster.label + '_'
    + format(n.created_at, "yyyyMMdd'T'HHmmssSSSSSS'Z'")
CREATE (n)-[:DERIVED_FROM {scope: $scope, recorded_at: $now, weight: 1.0}]->(cluster)
RETURN n.value_id AS value_id

// values/value, one value by its readable id or its node's
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $dimension INTEGER
// columns:    value, embedding, entities
CYPHER 25 CALL () {
  MATCH (n:Value {value_id: $id}) RETURN n
  UNION
  MATCH (n:Value {id: $id}) RETURN n
}
WITH n
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.retracted_at IS NULL AND size(n.embedding) = $dimension
RETURN n {.*, embedding: NULL} AS value, vector(n.embedding, $dimension, FLOAT32) AS embedding, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities

// values/values, values newest first, older than a given number; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $axis STRING, $before INTEGER, $dimension INTEGER, $limit INTEGER
// columns:    value, embedding, entities
CYPHER 25 MATCH (n:Value)
WHERE n.scope IN $scopes AND n.retracted_at IS NULL AND size(n.embedding) = $dimension
  AND ($axis IS NULL OR n.axis = $axis) AND n.value_number < coalesce($before, 9223372036854775807)
WITH n ORDER BY n.value_number DESC LIMIT $limit
RETURN n {.*, embedding: NULL} AS value, vector(n.embedding, $dimension, FLOAT32) AS embedding, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
ORDER BY value.value_number DESC

// values/values_of_context, values whose cluster holds an experience of one of these domains and strategies, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $contexts LIST<STRING>, $dimension INTEGER, $limit INTEGER
// columns:    value, embedding, entities
CYPHER 25 MATCH (n:Value)
WHERE n.scope IN $scopes AND n.retracted_at IS NULL AND size(n.embedding) = $dimension
  AND any(context IN $contexts WHERE context IN n.contexts)
WITH n ORDER BY n.value_number DESC LIMIT $limit
RETURN n {.*, embedding: NULL} AS value, vector(n.embedding, $dimension, FLOAT32) AS embedding, [] AS entities
ORDER BY value.value_number DESC
