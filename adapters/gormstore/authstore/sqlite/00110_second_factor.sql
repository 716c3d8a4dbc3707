-- +goose Up
-- Times are Unix microseconds.

-- Authenticator apps.
CREATE TABLE second_factors (
    user_id      INTEGER PRIMARY KEY,
    secret       BLOB NOT NULL,   -- encrypted with a key that is not in the database
    started_at   BIGINT NOT NULL,
    confirmed_at BIGINT,          -- NULL until the user has entered a first code
    last_step    BIGINT NOT NULL, -- the last step whose code was used
    recovery     BLOB NOT NULL    -- the digests of the unused recovery codes, 32 bytes each
);

-- Browsers on which a user need not repeat the second factor.
CREATE TABLE remembered_devices (
    digest     BLOB PRIMARY KEY, -- of the token in the browser's cookie
    user_id    BIGINT NOT NULL,
    epoch      BIGINT NOT NULL,   -- a newer one of the user forgets the device
    expires_at BIGINT NOT NULL
);
CREATE INDEX remembered_devices_of_user ON remembered_devices (user_id, expires_at);
CREATE INDEX remembered_devices_expiry ON remembered_devices (expires_at); -- the sweep
