-- +goose Up
-- The indexes have further terms for titles in other digits and in scripts without spaces, and spellings of words of
-- three letters.
UPDATE search_versions SET version = CASE WHEN EXISTS (SELECT 1 FROM books) THEN version ELSE 3 END, last_book = 0, last_term = '';
