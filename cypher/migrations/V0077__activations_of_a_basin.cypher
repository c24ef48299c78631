// What a basin has been activated by goes with it.
CREATE INDEX basin_activation_basin IF NOT EXISTS FOR (n:BasinActivation) ON (n.basin_id);
