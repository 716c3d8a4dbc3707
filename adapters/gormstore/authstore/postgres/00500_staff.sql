-- +goose Up
-- Who may decide about an affair of somebody of the staff.
CREATE INDEX users_staff ON users (id) WHERE role > 0;
