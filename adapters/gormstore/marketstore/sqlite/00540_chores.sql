-- +goose Up
-- What became of a chore so far. One that is due at 0 was never tried.
ALTER TABLE chores ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0; -- that have failed
ALTER TABLE chores ADD COLUMN due_at   INTEGER  NOT NULL DEFAULT 0;
ALTER TABLE chores ADD COLUMN dead     INTEGER NOT NULL DEFAULT 0; -- 1: given up
ALTER TABLE chores ADD COLUMN error    TEXT    NOT NULL DEFAULT '';
CREATE INDEX chores_dead ON chores (dead, id);
