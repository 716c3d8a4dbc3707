-- +goose Up
-- An admin's search for a part of a title, see trigrams in the schema of the auth service.
SET LOCAL statement_timeout = 0; -- a large index may take longer to build than a statement may
CREATE INDEX orders_search ON orders USING gin (trigrams(name_key));
