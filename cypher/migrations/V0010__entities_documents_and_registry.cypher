// Keys of what loading writes: entities, relationship types, sources, documents, passages.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT entity_canonical_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.scope, n.canonical_key) IS UNIQUE;
CREATE CONSTRAINT relationship_type_id IF NOT EXISTS FOR (n:RelationshipType) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT relationship_type_name IF NOT EXISTS FOR (n:RelationshipType) REQUIRE (n.scope, n.name) IS UNIQUE;
CREATE CONSTRAINT source_id IF NOT EXISTS FOR (n:Source) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (n:Document) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT passage_id IF NOT EXISTS FOR (n:Passage) REQUIRE n.id IS UNIQUE;
CREATE INDEX entity_name_key IF NOT EXISTS FOR (n:Entity) ON (n.scope, n.name_key);
CREATE INDEX document_scope IF NOT EXISTS FOR (n:Document) ON (n.scope);
CREATE INDEX passage_scope IF NOT EXISTS FOR (n:Passage) ON (n.scope);
