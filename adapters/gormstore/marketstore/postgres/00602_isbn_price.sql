-- +goose NO TRANSACTION
-- +goose Up
-- The copies of a title, by price. It is built beside the sales, as in 00530.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_isbn_price;
CREATE INDEX CONCURRENTLY books_isbn_price ON books (isbn, price, id DESC) WHERE status = 0 AND isbn <> '';
RESET statement_timeout;
