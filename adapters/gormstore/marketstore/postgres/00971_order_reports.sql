-- +goose Up
-- An order is reported by one of its two people, 4.
ALTER TABLE reports DROP CONSTRAINT reports_target_kind_check;
ALTER TABLE reports ADD CONSTRAINT reports_target_kind_check CHECK (target_kind IN (1, 2, 3, 4));

-- The photos of reports about orders. With its report, a photo is removed.
CREATE TABLE report_photos (
    id         BIGINT  PRIMARY KEY,
    report_id  BIGINT  NOT NULL,
    owner_id   BIGINT  NOT NULL, -- the reporter
    state      INTEGER NOT NULL, -- 0 pending, 1 shown, 2 removed
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    created_at BIGINT  NOT NULL,
    changed_at BIGINT  NOT NULL, -- when it got its state
    large_sum  BIGINT  NOT NULL, -- see photo.Sum
    thumb_sum  BIGINT  NOT NULL,
    CHECK (state IN (0, 1, 2))
);
CREATE INDEX report_photos_report ON report_photos (report_id, id);
CREATE INDEX report_photos_owner ON report_photos (owner_id) WHERE state <> 2;
CREATE INDEX report_photos_swept ON report_photos (state, changed_at, id) WHERE state <> 1;
