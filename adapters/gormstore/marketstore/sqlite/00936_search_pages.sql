-- +goose Up
-- Newest first, a search reads each page of a word from its end, and for that decodes all of it: of the default
-- of 4050 bytes, two thousand books for one screen.
INSERT INTO book_search (book_search, rank) VALUES ('pgsz', 1000);
