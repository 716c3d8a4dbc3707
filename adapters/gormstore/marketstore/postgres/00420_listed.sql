-- +goose Up
-- The books for sale that were listed long ago, for the preview of their expiry.
-- A large index may take longer to build than a statement may.
SET LOCAL statement_timeout = 0;
CREATE INDEX books_listed_at ON books (listed_at) WHERE status = 0;
