-- +goose Up
-- Valid lines of a file that were not listed, because their owner had their books.
ALTER TABLE imports ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
