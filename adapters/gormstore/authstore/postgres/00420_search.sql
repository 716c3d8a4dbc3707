-- +goose Up
-- An admin's search for a part of an address or a name reads this index in place of all users. trigrams
-- returns all parts of three characters of a text; a text with another in it has all of the other's.
-- +goose StatementBegin
CREATE FUNCTION trigrams(whole TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT COALESCE(array_agg(DISTINCT substr(whole, i, 3)), '{}') FROM generate_series(1, length(whole) - 2) AS i
$$;
-- +goose StatementEnd
-- A large index may take longer to build than a statement may.
SET LOCAL statement_timeout = 0;
CREATE INDEX users_search ON users USING gin (trigrams(email || ' ' || COALESCE(name_key, ''))) WHERE deleted_at IS NULL;
