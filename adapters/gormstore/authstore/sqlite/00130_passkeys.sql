-- +goose Up
-- Credentials of WebAuthn with which users sign in.
CREATE TABLE passkeys (
    id            INTEGER PRIMARY KEY,
    user_id       BIGINT NOT NULL REFERENCES users (id),
    name          TEXT NOT NULL,
    credential_id BLOB NOT NULL UNIQUE,
    public_key    BLOB NOT NULL,
    counter       BIGINT NOT NULL,
    synced        INTEGER NOT NULL, -- 1 if the credential may be copied to other devices
    transports    TEXT NOT NULL,    -- separated by commas
    created_at    BIGINT NOT NULL,
    last_used_at  BIGINT            -- NULL before the first sign-in
);
CREATE INDEX passkeys_user ON passkeys (user_id, id); -- those of a user, oldest first
