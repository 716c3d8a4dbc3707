-- +goose Up
-- Which process holds the lease. One process alone uses this file: always 0.
ALTER TABLE inbox_jobs ADD COLUMN owner INTEGER NOT NULL DEFAULT 0;

-- Lists by event, and of what is pending, are read newest first.
CREATE INDEX inbox_deliveries_event ON inbox_deliveries (event, seq);
CREATE INDEX inbox_jobs_open ON inbox_jobs (seq) WHERE state = 0;

-- +goose Down
DROP INDEX inbox_jobs_open;
DROP INDEX inbox_deliveries_event;
ALTER TABLE inbox_jobs DROP COLUMN owner;
