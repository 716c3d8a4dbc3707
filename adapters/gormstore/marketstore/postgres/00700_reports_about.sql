-- +goose NO TRANSACTION
-- +goose Up
-- The reports about a person that an admin has upheld: they hide how others rated the person.
-- The indexes are built beside the reports, as in 00530.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS reports_upheld;
CREATE INDEX CONCURRENTLY reports_upheld ON reports (about_id, resolved_at) WHERE action NOT IN ('', 'dismiss');
-- The universities whose admins look after them.
DROP INDEX CONCURRENTLY IF EXISTS reports_about_university;
CREATE INDEX CONCURRENTLY reports_about_university ON reports (about_id, university);
RESET statement_timeout;
