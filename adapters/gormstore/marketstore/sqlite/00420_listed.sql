-- +goose Up
-- The books for sale that were listed long ago, for the preview of their expiry.
CREATE INDEX books_listed_at ON books (listed_at) WHERE status = 0;
