-- +goose Up
-- Deliveries of one source with the same id and another body. The later ones have ~2, ~3, … at the
-- end of their ids, and here the id of the sender.
ALTER TABLE inbox_deliveries ADD COLUMN original TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox_deliveries ADD COLUMN conflict INTEGER NOT NULL DEFAULT 0; -- 1: its body is not that of an earlier one
CREATE INDEX inbox_deliveries_original ON inbox_deliveries (original, source) WHERE original <> '';

-- Deliveries that no rule took have no job.
ALTER TABLE inbox_deliveries ADD COLUMN unmatched INTEGER NOT NULL DEFAULT 0;
UPDATE inbox_deliveries SET unmatched = 1 WHERE NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = inbox_deliveries.seq);
CREATE INDEX inbox_deliveries_unmatched ON inbox_deliveries (seq) WHERE unmatched = 1; -- the list of unmatched deliveries
