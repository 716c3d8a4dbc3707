-- +goose Up
-- 1: a campus store, which may list far more than a person.
ALTER TABLE users ADD COLUMN campus_store INTEGER NOT NULL DEFAULT 0;
