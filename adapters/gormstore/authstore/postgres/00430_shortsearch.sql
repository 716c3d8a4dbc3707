-- +goose Up
-- A search for one or two characters, which may be a whole name. short_parts returns all parts of
-- these lengths of a text.
-- +goose StatementBegin
CREATE FUNCTION short_parts(whole TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT COALESCE(array_agg(DISTINCT substr(whole, i, n)), '{}') FROM generate_series(1, length(whole)) AS i, generate_series(1, 2) AS n
$$;
-- +goose StatementEnd
-- A large index may take longer to build than a statement may.
SET LOCAL statement_timeout = 0;
CREATE INDEX users_short_search ON users USING gin (short_parts(email || ' ' || COALESCE(name_key, ''))) WHERE deleted_at IS NULL;
ANALYZE users; -- or the planner knows nothing of the index
