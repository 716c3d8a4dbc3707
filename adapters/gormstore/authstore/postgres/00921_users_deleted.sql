-- +goose Up
-- Lists the accounts that were deleted, for users deleted.
CREATE INDEX users_deleted ON users (id) WHERE deleted_at IS NOT NULL;
