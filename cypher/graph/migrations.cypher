// graph/lock_constraint, the key of the migration lock: needed before the first migration can take it
// mode:       schema
// returns:    none
// parameters: none
// columns:    none
CYPHER 25 CREATE CONSTRAINT migration_lock_id IF NOT EXISTS FOR (n:MigrationLock) REQUIRE n.id IS UNIQUE

// graph/free_lock, give the migration lock back; nothing happens when it is another's by now
// mode:       write
// returns:    none
// parameters: $owner STRING
// columns:    none
CYPHER 25 MATCH (l:MigrationLock {id: 'migrations', owner: $owner})
SET l.owner = null, l.expires_at = null

// graph/take_lock, take or renew the migration lock; a lease that ran out is anybody's, by the server's clock
// mode:       write
// returns:    one
// parameters: $owner STRING, $lease_s INTEGER
// columns:    owner, remaining_s
CYPHER 25 MERGE (l:MigrationLock {id: 'migrations'})
ON CREATE SET l.scope = 'public', l.recorded_at = datetime.realtime()
SET l.version = coalesce(l.version, 0) + 1
WITH l, l.owner IS NULL OR l.owner = $owner OR l.expires_at <= datetime.realtime() AS free
SET l.owner = CASE WHEN free THEN $owner ELSE l.owner END,
    l.expires_at = CASE WHEN free THEN datetime.realtime() + duration({seconds: $lease_s}) ELSE l.expires_at END
RETURN l.owner AS owner, duration.inSeconds(datetime.realtime(), l.expires_at).seconds AS remaining_s

// graph/applied, the migrations that were applied, in the order of their chain
// mode:       read
// returns:    many
// parameters: none
// columns:    id, name, checksum, chain, sequence, recorded_at
CYPHER 25 MATCH (v:SchemaVersion)
RETURN v.id AS id, v.name AS name, v.checksum AS checksum, v.chain AS chain, v.sequence AS sequence,
       v.recorded_at AS recorded_at
ORDER BY sequence, id

// graph/indexes, every index of the database as it really is
// mode:       read
// returns:    many
// parameters: none
// columns:    name, type, labels, properties, options, state, constraint
CYPHER 25 SHOW INDEXES YIELD name, type, labelsOrTypes, properties, options, state, owningConstraint
RETURN name, type, labelsOrTypes AS labels, properties, options, state, owningConstraint AS constraint
ORDER BY name

// graph/constraints, every constraint of the database as it really is
// mode:       read
// returns:    many
// parameters: none
// columns:    name, type, labels, properties
CYPHER 25 SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties
RETURN name, type, labelsOrTypes AS labels, properties
ORDER BY name

// graph/building, the names of indexes that are not online yet
// mode:       read
// returns:    many
// parameters: none
// columns:    name, state, percent
CYPHER 25 SHOW INDEXES YIELD name, state, populationPercent
WHERE state <> 'ONLINE'
RETURN name, state, populationPercent AS percent
ORDER BY name

// graph/record_versions, add links to the chain of applied migrations
// mode:       write
// returns:    none
// parameters: $versions LIST<MAP>
// columns:    none
CYPHER 25 UNWIND $versions AS one
MERGE (v:SchemaVersion {id: one.id})
ON CREATE SET v.scope = 'public', v.recorded_at = one.recorded_at, v.name = one.name, v.checksum = one.checksum,
              v.chain = one.chain, v.sequence = one.sequence
WITH v, one
OPTIONAL MATCH (before:SchemaVersion {sequence: one.sequence - 1})
FOREACH (b IN CASE WHEN before IS NULL THEN [] ELSE [before] END | MERGE (b)-[:NEXT_VERSION]->(v))

// graph/drop_constraint, drop a constraint so that it can be made anew
// mode:       schema
// returns:    none
// parameters: $name STRING
// columns:    none
CYPHER 25 DROP CONSTRAINT $name IF EXISTS

// graph/drop_index, drop an index so that it can be built anew
// mode:       schema
// returns:    none
// parameters: $name STRING
// columns:    none
CYPHER 25 DROP INDEX $name IF EXISTS

// graph/embedding_model, the model and dimension that the graph was embedded with
// mode:       read
// returns:    maybe
// parameters: none
// columns:    model, dimension, recorded_at
CYPHER 25 MATCH (m:EmbeddingModel {id: 'embedding-model'})
RETURN m.model AS model, m.dimension AS dimension, m.recorded_at AS recorded_at
