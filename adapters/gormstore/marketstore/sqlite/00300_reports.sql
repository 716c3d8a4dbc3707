-- +goose Up
-- What people reported, and what admins decided.
CREATE TABLE reports (
    id          INTEGER PRIMARY KEY,
    reporter_id INTEGER NOT NULL,
    target_kind INTEGER NOT NULL, -- 1 book, 2 person, 3 conversation
    target_id   INTEGER NOT NULL,
    about_id    INTEGER NOT NULL, -- who is responsible for the target
    reason      TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    seen        TEXT    NOT NULL, -- the target at the time of the report, JSON
    hid         INTEGER NOT NULL, -- 1: it has taken the book off sale
    created_at  INTEGER NOT NULL,
    action      TEXT    NOT NULL, -- empty while it is open
    note        TEXT    NOT NULL,
    resolved_by INTEGER NOT NULL,
    resolved_at INTEGER NOT NULL, -- 0 while it is open
    CHECK (target_kind IN (1, 2, 3)),
    CHECK ((action = '') = (resolved_at = 0))
);
CREATE UNIQUE INDEX reports_once ON reports (target_kind, target_id, reporter_id) WHERE resolved_at = 0; -- one open report a person; the open ones about a target
CREATE INDEX reports_open ON reports (id) WHERE resolved_at = 0;                     -- the queue
CREATE INDEX reports_resolved ON reports (resolved_at, id) WHERE resolved_at <> 0;   -- the last decisions, and the sweep
CREATE INDEX reports_about ON reports (about_id, id);                                -- those about a person
CREATE INDEX reports_reporter ON reports (reporter_id, id);                          -- those of a reporter
