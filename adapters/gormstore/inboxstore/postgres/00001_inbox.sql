-- +goose Up
CREATE TABLE inbox_deliveries (
    seq         BIGINT PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    event       TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    received_at BIGINT NOT NULL
);

-- Payloads stand apart: they go first, and lists never read over them.
CREATE TABLE inbox_payloads (
    seq     BIGINT PRIMARY KEY,
    payload BYTEA NOT NULL
);

CREATE TABLE inbox_jobs (
    id          BIGINT PRIMARY KEY,
    seq         BIGINT NOT NULL,
    rule        TEXT    NOT NULL,
    order_key   TEXT    NOT NULL,
    state       INTEGER NOT NULL, -- 0 open, 1 delivered, 2 dead, 3 replaced
    due_at      BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    attempts    INTEGER NOT NULL,
    redelivery  INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    error       TEXT    NOT NULL,
    changed_at  BIGINT NOT NULL
);

CREATE INDEX inbox_jobs_of ON inbox_jobs (seq);
CREATE INDEX inbox_jobs_due ON inbox_jobs (rule, due_at, seq, id) WHERE state = 0;
CREATE INDEX inbox_jobs_order ON inbox_jobs (rule, order_key, id) WHERE state = 0 AND order_key <> '';
CREATE INDEX inbox_jobs_dead ON inbox_jobs (seq) WHERE state = 2;

-- Hashes of event and payload that keep the same out under another id.
CREATE TABLE inbox_hashes (
    hash  BYTEA PRIMARY KEY,
    until BIGINT NOT NULL
);
CREATE INDEX inbox_hashes_until ON inbox_hashes (until);

-- +goose Down
DROP TABLE inbox_hashes;
DROP TABLE inbox_jobs;
DROP TABLE inbox_payloads;
DROP TABLE inbox_deliveries;
