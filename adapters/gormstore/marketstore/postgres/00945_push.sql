-- +goose Up
-- Browsers to which notifications are pushed.
CREATE TABLE push_subscriptions (
    id         BIGINT  PRIMARY KEY,
    user_id    BIGINT  NOT NULL,
    session_id BIGINT  NOT NULL, -- with which it ends; of a personal access token if token is 1
    token      INTEGER NOT NULL,
    endpoint   TEXT    NOT NULL,
    p256dh     TEXT    NOT NULL, -- base64url, as the two below
    auth       TEXT    NOT NULL,
    server_key TEXT    NOT NULL,
    kinds      TEXT    NOT NULL, -- of notifications, separated by spaces; '': all
    created_at BIGINT  NOT NULL,
    renewed_at BIGINT  NOT NULL,
    failures   INTEGER NOT NULL DEFAULT 0,
    retry_at   BIGINT  NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX push_subscriptions_endpoint ON push_subscriptions (endpoint);
CREATE INDEX push_subscriptions_user ON push_subscriptions (user_id);

-- In minutes after midnight.
CREATE TABLE push_quiet_hours (
    user_id     BIGINT  NOT NULL PRIMARY KEY,
    from_minute INTEGER NOT NULL,
    to_minute   INTEGER NOT NULL
);
