-- +goose Up
-- Where a photo stands among those of its book; of the same position the first added one is first. The first photo
-- is the cover.
ALTER TABLE photos ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- The index that every list reads has all that it needs.
CREATE INDEX photos_shown ON photos (book_id, position, id, width, height, created_at) WHERE state = 1;
DROP INDEX photos_book;
