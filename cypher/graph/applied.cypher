// graph/applied, the migrations that were applied, in the order of their chain
// mode:       read
// returns:    many
// parameters: none
// columns:    id, name, checksum, chain, sequence, recorded_at
CYPHER 25 MATCH (v:SchemaVersion)
RETURN v.id AS id, v.name AS name, v.checksum AS checksum, v.chain AS chain, v.sequence AS sequence,
       v.recorded_at AS recorded_at
ORDER BY sequence, id
