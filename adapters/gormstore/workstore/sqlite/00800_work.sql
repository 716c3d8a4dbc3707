-- +goose Up
-- The one queue of background work: jobs that follow a change, and a row for each kind of periodic work.
CREATE TABLE jobs (
    id       INTEGER PRIMARY KEY,
    kind     TEXT    NOT NULL,
    subject  INTEGER NOT NULL,
    args     TEXT    NOT NULL,
    due_at   INTEGER NOT NULL, -- the next attempt; while it runs, the end of its lease
    attempts INTEGER NOT NULL, -- since it last succeeded
    running  INTEGER NOT NULL,
    dead     INTEGER NOT NULL, -- 1: given up
    periodic INTEGER NOT NULL,
    error    TEXT    NOT NULL
);
CREATE INDEX jobs_due ON jobs (kind, due_at, id) WHERE dead = 0;
CREATE INDEX jobs_dead ON jobs (due_at) WHERE dead = 1;
CREATE UNIQUE INDEX jobs_periodic ON jobs (kind) WHERE periodic = 1;
