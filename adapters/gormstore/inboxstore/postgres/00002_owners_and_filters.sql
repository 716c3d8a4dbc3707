-- +goose NO TRANSACTION
-- +goose Up
-- A step that was broken off leaves an index that is not valid: each is made anew.
SET statement_timeout = 0;

-- Which process holds the lease, by the number of its advisory lock; 0 for none.
ALTER TABLE inbox_jobs ADD COLUMN IF NOT EXISTS owner INTEGER NOT NULL DEFAULT 0;
DROP INDEX CONCURRENTLY IF EXISTS inbox_jobs_owner;
CREATE INDEX CONCURRENTLY inbox_jobs_owner ON inbox_jobs (owner) WHERE state = 0 AND owner <> 0;

-- Lists by event, and of what is pending, are read newest first.
DROP INDEX CONCURRENTLY IF EXISTS inbox_deliveries_event;
CREATE INDEX CONCURRENTLY inbox_deliveries_event ON inbox_deliveries (event, seq);
DROP INDEX CONCURRENTLY IF EXISTS inbox_jobs_open;
CREATE INDEX CONCURRENTLY inbox_jobs_open ON inbox_jobs (seq) WHERE state = 0;

RESET statement_timeout;

-- +goose Down
DROP INDEX inbox_jobs_open;
DROP INDEX inbox_deliveries_event;
DROP INDEX inbox_jobs_owner;
ALTER TABLE inbox_jobs DROP COLUMN owner;
