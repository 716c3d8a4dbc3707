-- +goose Up
-- The people who joined on a day, at all universities or at one, for the statistics of the market. With
-- deleted_at it has all columns of that statement.
CREATE INDEX users_joined ON users (created_at, university, deleted_at) WHERE deleted_at IS NULL;
DROP INDEX IF EXISTS users_campus;
