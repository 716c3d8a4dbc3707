-- +goose Up
-- What each person has used of each quota in its current period.
CREATE TABLE quota_uses (
    user_id BIGINT NOT NULL,
    quota   TEXT   NOT NULL,
    since   BIGINT NOT NULL,
    count   BIGINT NOT NULL,
    PRIMARY KEY (user_id, quota)
);
