-- +goose Up
-- Requests and titles in traditional characters are matched with those in simplified ones: their indexes are made
-- again in the background.
UPDATE search_versions SET version = CASE WHEN EXISTS (SELECT 1 FROM books) THEN version ELSE 4 END, last_book = 0, last_term = '';
