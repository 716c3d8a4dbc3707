-- +goose Up
-- Who wrote the book that is offered or looked for; empty: not known.
ALTER TABLE books ADD COLUMN authors TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN authors TEXT NOT NULL DEFAULT '';

-- How the full-text index and the vocabulary were made. Those of an older version are brought up to date in
-- the background, see finding_search_rebuild.go: the last book and the last word that were. A new database starts there.
CREATE TABLE search_versions (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    version   INTEGER NOT NULL,
    last_book BIGINT  NOT NULL,
    last_term TEXT    NOT NULL
);
INSERT INTO search_versions (id, version, last_book, last_term) SELECT 1, CASE WHEN EXISTS (SELECT 1 FROM books) THEN 0 ELSE 1 END, 0, '';
