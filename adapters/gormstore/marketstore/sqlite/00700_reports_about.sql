-- +goose Up
-- The reports about a person that an admin has upheld: they hide how others rated the person.
CREATE INDEX reports_upheld ON reports (about_id, resolved_at) WHERE action NOT IN ('', 'dismiss');
-- The universities whose admins look after them.
CREATE INDEX reports_about_university ON reports (about_id, university);
