-- +goose Up
-- The signature of the words that a book found under the key must have; NULL until
-- the program has computed it.
ALTER TABLE request_keys ADD COLUMN words INTEGER;
UPDATE request_keys SET words = 0 WHERE substr(key, 1, 2) <> 'w:';
CREATE INDEX request_keys_unsigned ON request_keys (request_id) WHERE words IS NULL;

-- +goose Down
DROP INDEX request_keys_unsigned;
ALTER TABLE request_keys DROP COLUMN words;
