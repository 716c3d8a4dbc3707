-- +goose Up
-- What the directory of an institution says of a person whose account it looks after.
ALTER TABLE users ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN given_name TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN family_name TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN directory_inactive INTEGER NOT NULL DEFAULT 0; -- 1: the directory has suspended the account
CREATE INDEX users_in_directory ON users (external_id) WHERE external_id <> '';
