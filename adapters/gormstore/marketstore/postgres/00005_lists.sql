-- +goose NO TRANSACTION
-- +goose Up
-- A step that was broken off leaves an index that is not valid: it is made anew.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_university_price;
CREATE INDEX CONCURRENTLY books_university_price ON books (university_key, price, id DESC) WHERE status = 0;
RESET statement_timeout;

-- +goose Down
DROP INDEX books_university_price;
