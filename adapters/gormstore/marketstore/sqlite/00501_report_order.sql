-- +goose Up
-- The order of the two because of which somebody reports a person; 0: none.
ALTER TABLE reports ADD COLUMN order_id INTEGER NOT NULL DEFAULT 0;
