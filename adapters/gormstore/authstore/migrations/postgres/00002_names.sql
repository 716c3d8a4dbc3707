-- +goose Up
-- The name as people are searched for: small letters without accents. Null where
-- there is no profile, and until the program has filled it in.
ALTER TABLE users ADD COLUMN name_key TEXT;

-- +goose Down
ALTER TABLE users DROP COLUMN name_key;
