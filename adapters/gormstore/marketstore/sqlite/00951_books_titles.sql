-- +goose Up
CREATE INDEX books_title_others ON books (title_key, id) WHERE status <> 0; -- what admins look for among books that are not for sale
