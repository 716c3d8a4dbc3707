-- +goose Up
-- The university of the reported book when it was reported, otherwise that of the person: its
-- admins look after the report. What was seen then tells it for the reports that there are.
ALTER TABLE reports ADD COLUMN university TEXT NOT NULL DEFAULT '';
UPDATE reports SET university = COALESCE(seen::json #>> '{Book,University}', seen::json #>> '{Person,University}', '');
CREATE INDEX reports_university ON reports (university, resolved_at, id); -- the lists of its admins
CREATE INDEX reports_target ON reports (target_kind, target_id);          -- the universities that look after a book
