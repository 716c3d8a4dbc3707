-- +goose Up
-- Where and when books are handed in and picked up: one desk a university.
CREATE TABLE desks (
    university_key TEXT PRIMARY KEY,
    university     TEXT NOT NULL,
    place          TEXT NOT NULL,
    hours          TEXT NOT NULL,
    notes          TEXT NOT NULL,
    updated_at     BIGINT NOT NULL
);
