-- +goose Up
-- A post reads up to two thousand entries, mostly only for their words: the index has them, too.
SET LOCAL statement_timeout = 0; -- a large index may take longer to build than a statement may
ALTER TABLE request_keys DROP CONSTRAINT request_keys_pkey, ADD PRIMARY KEY (key, request_id) INCLUDE (words);
