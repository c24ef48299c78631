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
      RETURN DISTINCT e.domain + '/' + e.strategy AS context ORDER BY context LIMIT 1000
    }
SET n.value_id = 'value_' + cluster.axis + '_' + cluster.label + '_'
    + format(n.created_at, "yyyyMMdd'T'HHmmssSSSSSS'Z'")
CREATE (n)-[:DERIVED_FROM {scope: $scope, recorded_at: $now, weight: 1.0}]->(cluster)
RETURN n.value_id AS value_id
