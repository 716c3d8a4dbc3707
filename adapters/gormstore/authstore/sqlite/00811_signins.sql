-- +goose Up
-- What the newest proof of identity of a session was: its methods by the names of RFC 8176, separated by spaces
-- (empty: the session is older than this column), and its time (0: nobody knows).
ALTER TABLE sessions ADD COLUMN methods TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN signed_in_at INTEGER NOT NULL DEFAULT 0;
-- What the client of the session was told about its level; empty: what follows from the methods.
ALTER TABLE sessions ADD COLUMN acr TEXT NOT NULL DEFAULT '';
