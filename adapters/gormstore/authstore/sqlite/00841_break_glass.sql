-- +goose Up
-- 1: the password of this owner works even if everybody else signs in at external services.
ALTER TABLE users ADD COLUMN break_glass INTEGER NOT NULL DEFAULT 0;
