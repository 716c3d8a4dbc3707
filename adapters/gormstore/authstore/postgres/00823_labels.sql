-- +goose Up
-- Roles and groups of users, which applications learn as claims.
CREATE TABLE user_labels (
    user_id BIGINT NOT NULL REFERENCES users (id),
    kind    TEXT NOT NULL, -- role, group
    name    TEXT NOT NULL,
    source  TEXT NOT NULL, -- the service whose claims gave it; empty: an admin
    PRIMARY KEY (user_id, kind, name, source)
);
