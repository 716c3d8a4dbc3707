-- +goose Up
-- What each person has used of each quota in its current period.
CREATE TABLE quota_uses (
    user_id INTEGER NOT NULL,
    quota   TEXT   NOT NULL,
    since   INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (user_id, quota)
);
