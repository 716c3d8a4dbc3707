-- +goose Up
-- How long access tokens and sessions of an application last, in seconds; 0: as for all.
ALTER TABLE clients ADD COLUMN access_lifetime BIGINT NOT NULL DEFAULT 0;
ALTER TABLE clients ADD COLUMN session_lifetime BIGINT NOT NULL DEFAULT 0;
