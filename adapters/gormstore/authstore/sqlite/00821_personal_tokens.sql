-- +goose Up
-- Access tokens that people have made for their scripts. Times are Unix microseconds.
CREATE TABLE personal_tokens (
    id           INTEGER PRIMARY KEY,
    user_id      BIGINT NOT NULL REFERENCES users (id),
    name         TEXT NOT NULL,
    scopes       TEXT NOT NULL,          -- separated by spaces
    digest       BLOB NOT NULL,          -- of the text, which has 256 random bits
    factors      BIGINT NOT NULL,        -- of the session that made it
    epoch        BIGINT NOT NULL,        -- a newer one of the user ends it
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL         -- 0 before the first use
);
CREATE UNIQUE INDEX personal_tokens_digest ON personal_tokens (digest);
CREATE INDEX personal_tokens_user ON personal_tokens (user_id, id);     -- those of a user, oldest first
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);    -- the sweep
