-- +goose Up
-- The size and checksum of the stored pictures of each photo, see photo.Sum; 0: not known yet.
ALTER TABLE photos ADD COLUMN large_sum BIGINT NOT NULL DEFAULT 0;
ALTER TABLE photos ADD COLUMN thumb_sum BIGINT NOT NULL DEFAULT 0;
-- Those of before, until the sweep has measured them.
CREATE INDEX photos_unmeasured ON photos (id) WHERE state = 1 AND large_sum = 0;
