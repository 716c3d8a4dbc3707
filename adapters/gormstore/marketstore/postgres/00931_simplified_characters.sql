-- +goose Up
-- Titles in traditional characters are also found by simplified ones: the index is made again in the background,
-- see search_rebuild.go. A new database has nothing to make again.
UPDATE search_versions SET version = CASE WHEN EXISTS (SELECT 1 FROM books) THEN version ELSE 2 END, last_book = 0, last_term = '';
