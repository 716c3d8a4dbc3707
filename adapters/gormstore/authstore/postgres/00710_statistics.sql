-- +goose NO TRANSACTION
-- +goose Up
-- The people who joined on a day, at all universities or at one, for the statistics of the market. Others write in
-- the meantime, and an index that was not completed is built anew.
SET statement_timeout = 0; -- a large index may take longer to build than a statement may
DROP INDEX CONCURRENTLY IF EXISTS users_joined;
CREATE INDEX CONCURRENTLY users_joined ON users (created_at, university) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS users_campus;

RESET statement_timeout;
