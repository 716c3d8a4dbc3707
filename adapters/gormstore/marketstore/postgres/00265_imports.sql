-- +goose Up
-- The last CSV file of a person who lists many books on pages. A week after its creation it is
-- deleted, unless it is being posted.
CREATE TABLE imports (
    owner_id   BIGINT PRIMARY KEY,
    id         BIGINT NOT NULL,
    state      INTEGER NOT NULL, -- 0 checked, 1 running, 2 done, 3 cancelled
    accepted   INTEGER NOT NULL, -- valid lines
    posted     INTEGER NOT NULL,
    rejected   TEXT NOT NULL,    -- the first lines with errors, as JSON
    unnamed    INTEGER NOT NULL, -- further ones
    created_at BIGINT NOT NULL,
    CHECK (state = 0 OR state = 1 OR state = 2 OR state = 3)
);
CREATE INDEX imports_swept ON imports (created_at, owner_id) WHERE state <> 1; -- the sweep

-- The valid lines that are not posted yet.
CREATE TABLE import_lines (
    owner_id BIGINT NOT NULL,
    line     INTEGER NOT NULL,
    details  TEXT NOT NULL, -- of the book, as JSON
    PRIMARY KEY (owner_id, line)
);
