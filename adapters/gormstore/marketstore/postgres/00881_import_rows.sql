-- +goose Up
-- How the file of an import is read, as JSON.
ALTER TABLE imports ADD COLUMN file TEXT NOT NULL DEFAULT '{}';

-- The rows of the file as they were sent or corrected. Once the valid ones are being posted, those with errors are left.
CREATE TABLE import_rows (
    owner_id BIGINT  NOT NULL,
    line     INTEGER NOT NULL,
    cells    TEXT    NOT NULL, -- as JSON
    PRIMARY KEY (owner_id, line)
);
