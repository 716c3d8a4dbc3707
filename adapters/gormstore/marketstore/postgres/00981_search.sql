-- +goose Up
-- Titles in other digits, in traditional characters and in scripts without spaces have further terms, and words of three
-- letters have spellings: the indexes are made again in the background. A new database has nothing to make again.
UPDATE search_versions SET version = CASE WHEN EXISTS (SELECT 1 FROM books) THEN version ELSE 4 END, last_book = 0, last_term = '';
