-- +goose Up
-- The people of a university, newest first: an admin's list would sort all of them.
CREATE INDEX users_of_campus ON users (university, id) WHERE deleted_at IS NULL;
