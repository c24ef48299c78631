// What was taken back or erased finds the ThoughtSeeds that came from it.
CREATE INDEX thoughtseed_concept IF NOT EXISTS FOR (n:ThoughtSeed) ON (n.concept_id);
