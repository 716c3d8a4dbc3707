-- +goose Up
-- An order is reported by one of its two people, 4. SQLite changes a check only with its table.
ALTER TABLE reports RENAME TO reports_before;
CREATE TABLE reports (
    id          INTEGER PRIMARY KEY,
    reporter_id INTEGER NOT NULL,
    target_kind INTEGER NOT NULL, -- 1 book, 2 person, 3 conversation, 4 order
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
    -- The university of the book when it was reported, otherwise that of the person: its admins look after
    -- the report.
    university  TEXT    NOT NULL DEFAULT '',
    order_id    INTEGER NOT NULL DEFAULT 0, -- of the two, because of which a person is reported; 0: none
    CHECK (target_kind IN (1, 2, 3, 4)),
    CHECK ((action = '') = (resolved_at = 0))
);
INSERT INTO reports (id, reporter_id, target_kind, target_id, about_id, reason, text, seen, hid, created_at, action, note, resolved_by, resolved_at, university, order_id)
SELECT id, reporter_id, target_kind, target_id, about_id, reason, text, seen, hid, created_at, action, note, resolved_by, resolved_at, university, order_id FROM reports_before;
DROP TABLE reports_before;
-- One open report a person; the open ones about a target.
CREATE UNIQUE INDEX reports_once ON reports (target_kind, target_id, reporter_id) WHERE resolved_at = 0;
CREATE INDEX reports_open ON reports (id) WHERE resolved_at = 0;                   -- the queue
CREATE INDEX reports_resolved ON reports (resolved_at, id) WHERE resolved_at <> 0; -- the last decisions, and the sweep
CREATE INDEX reports_about ON reports (about_id, id);                              -- those about a person
CREATE INDEX reports_reporter ON reports (reporter_id, id);                        -- those of a reporter
-- Those about a person that an admin has upheld: they hide how others rated the person.
CREATE INDEX reports_upheld ON reports (about_id, resolved_at) WHERE action NOT IN ('', 'dismiss');
-- The lists of a university's admins; the universities that look after a book, and after a person.
CREATE INDEX reports_university ON reports (university, resolved_at, id);
CREATE INDEX reports_target ON reports (target_kind, target_id);
CREATE INDEX reports_about_university ON reports (about_id, university);

-- The photos of reports about orders. With its report, a photo is removed.
CREATE TABLE report_photos (
    id         INTEGER PRIMARY KEY,
    report_id  INTEGER NOT NULL,
    owner_id   INTEGER NOT NULL, -- the reporter
    state      INTEGER NOT NULL, -- 0 pending, 1 shown, 2 removed
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, -- when it got its state
    large_sum  INTEGER NOT NULL, -- see photo.Sum
    thumb_sum  INTEGER NOT NULL,
    CHECK (state IN (0, 1, 2))
);
CREATE INDEX report_photos_report ON report_photos (report_id, id);
CREATE INDEX report_photos_owner ON report_photos (owner_id) WHERE state <> 2;
CREATE INDEX report_photos_swept ON report_photos (state, changed_at, id) WHERE state <> 1;
