-- +goose Up
-- The rules of the service, for commands beside it. What they send to and sign with
-- is not here.
CREATE TABLE inbox_rules (
    position INTEGER PRIMARY KEY,
    rule     TEXT    NOT NULL, -- as in inbox_jobs
    pattern  TEXT    NOT NULL,
    order_by TEXT    NOT NULL
);

-- +goose Down
DROP TABLE inbox_rules;
