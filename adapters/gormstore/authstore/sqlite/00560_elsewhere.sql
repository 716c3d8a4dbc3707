-- +goose Up
-- Somebody who has signed in at another service may have proved who they are there long ago.
ALTER TABLE sessions ADD COLUMN elsewhere BIGINT NOT NULL DEFAULT 0; -- 1: proved_at alone says when, 0 there: nobody knows
