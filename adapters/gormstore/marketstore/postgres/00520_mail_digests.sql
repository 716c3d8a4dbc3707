-- +goose Up
-- The mails of a kind that anybody can cause to a person: when the last were sent, and what
-- waits for the next one.
CREATE TABLE mail_digests (
    user_id BIGINT  NOT NULL,
    kind    TEXT    NOT NULL,
    sent    TEXT    NOT NULL, -- the last times, as JSON
    items   TEXT    NOT NULL, -- the first that wait, as JSON
    more    INTEGER NOT NULL, -- how many others wait
    wake_at BIGINT  NOT NULL, -- when to mail or delete it
    PRIMARY KEY (user_id, kind)
);
CREATE INDEX mail_digests_due ON mail_digests (wake_at);
