// evaluation/round_trip, the cheapest answer there is: what one trip to the server costs
// mode:       read
// returns:    one
// parameters: none
// columns:    one
CYPHER 25 RETURN 1 AS one
