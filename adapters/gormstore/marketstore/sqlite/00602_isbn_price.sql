-- +goose Up
-- The copies of a title, by price.
CREATE INDEX books_isbn_price ON books (isbn, price, id DESC) WHERE status = 0 AND isbn <> '';
