-- +goose Up
-- Programs that call other programs. Times are Unix microseconds, lists are separated by spaces.

-- The APIs that machines call.
CREATE TABLE resources (
    id                    TEXT PRIMARY KEY,
    name                  TEXT NOT NULL,
    identifier            TEXT NOT NULL UNIQUE, -- the audience of its tokens
    scopes                TEXT NOT NULL,
    secret_hash           BLOB NOT NULL,
    previous_secret_hash  BLOB NOT NULL,
    previous_secret_until BIGINT NOT NULL,      -- 0 without a previous one
    created_at            BIGINT NOT NULL
);

CREATE TABLE machines (
    id                    TEXT PRIMARY KEY,
    name                  TEXT NOT NULL,
    secret_hash           BLOB NOT NULL,        -- zeros for one with keys
    previous_secret_hash  BLOB NOT NULL,
    previous_secret_until BIGINT NOT NULL,
    keys                  TEXT NOT NULL,        -- a JWKS, or
    keys_url              TEXT NOT NULL,        -- where it is
    resources             TEXT NOT NULL,        -- the ids of those that it may call
    scopes                TEXT NOT NULL,
    created_at            BIGINT NOT NULL
);

-- The access tokens of machines.
CREATE TABLE machine_sessions (
    id         INTEGER PRIMARY KEY,
    machine    TEXT NOT NULL,
    resource   TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    ip         TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX machine_sessions_of_machine ON machine_sessions (machine, id);   -- newest first, and the oldest of too many
CREATE INDEX machine_sessions_of_resource ON machine_sessions (resource);     -- what ends with it
CREATE INDEX machine_sessions_expiry ON machine_sessions (expires_at);        -- the sweep

-- Assertions with which machines have authenticated: none is accepted twice.
CREATE TABLE used_assertions (
    digest     BLOB PRIMARY KEY, -- of client and jti
    expires_at BIGINT NOT NULL
);
CREATE INDEX used_assertions_expiry ON used_assertions (expires_at); -- the sweep
