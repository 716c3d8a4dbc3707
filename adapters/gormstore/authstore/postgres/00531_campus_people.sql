-- +goose NO TRANSACTION
-- +goose Up
-- The people of a university, newest first: an admin's list would sort all of them. Others write in the
-- meantime, and an index that was not completed is built anew.
SET statement_timeout = 0; -- a large index may take longer to build than a statement may
DROP INDEX CONCURRENTLY IF EXISTS users_of_campus;
CREATE INDEX CONCURRENTLY users_of_campus ON users (university, id) WHERE deleted_at IS NULL;

RESET statement_timeout;
