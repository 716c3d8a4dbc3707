-- +goose Up
-- A sign-in elsewhere that belongs to an account. The service knows the person by subject.
CREATE TABLE identities (
    id         INTEGER PRIMARY KEY,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    provider   TEXT NOT NULL,
    subject    TEXT NOT NULL,
    email      TEXT NOT NULL, -- as the service gave it; empty if it gave none
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identities_subject ON identities (provider, subject);
CREATE INDEX identities_user ON identities (user_id, id);
