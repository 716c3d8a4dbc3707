-- +goose Up
-- The whole line of a row without cells, as JSON: a quote of it is not closed.
ALTER TABLE import_rows ADD COLUMN text TEXT NOT NULL DEFAULT '""';
