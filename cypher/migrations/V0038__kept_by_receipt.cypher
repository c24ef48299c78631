// A receipt finds the states it keeps; a run finds its summaries by what it read.
CREATE INDEX kept_receipt IF NOT EXISTS FOR (n:Kept) ON (n.receipt_id);
CREATE INDEX source_content_hash IF NOT EXISTS FOR (n:Source) ON (n.scope, n.content_hash);
