-- +goose Up
-- The sealed request of an application to which a sign-up leads; empty without one.
ALTER TABLE signups ADD COLUMN request TEXT NOT NULL DEFAULT '';
