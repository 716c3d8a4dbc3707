-- +goose Up
-- Tries are counted for each source, as a JSON object; "tries" are those of all
-- strangers together.
ALTER TABLE challenges ADD COLUMN tried_from TEXT NOT NULL DEFAULT '{}';

-- The clients that an account has signed in from: IPv4 addresses and IPv6 networks
-- of 64 bits.
CREATE TABLE known_sources (
    user_id    BIGINT NOT NULL REFERENCES users (id),
    source     TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, source)
);
CREATE INDEX known_sources_expiry ON known_sources (expires_at);

-- +goose Down
DROP TABLE known_sources;
ALTER TABLE challenges DROP COLUMN tried_from;
