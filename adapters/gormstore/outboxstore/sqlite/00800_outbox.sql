-- +goose Up
-- Times are Unix microseconds, 0 if it has not happened.

-- Mail messages, written in the transaction of the change that they are about.
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY,
    kind        TEXT    NOT NULL,
    recipient   TEXT    NOT NULL,
    lang        TEXT    NOT NULL,
    params      TEXT    NOT NULL,            -- a JSON object of strings
    secret      BLOB,                        -- code and link, sealed; NULL: none, or erased
    traceparent TEXT    NOT NULL DEFAULT '', -- W3C traceparent of the request that caused it
    priority    INTEGER NOT NULL,            -- 0 urgent, 1 the rest
    state       INTEGER NOT NULL DEFAULT 0,  -- 0 waiting, 1 sent, 2 dead, 3 opted out
    tries       INTEGER NOT NULL DEFAULT 0,  -- also fences the holder of the lease
    due_at      INTEGER NOT NULL,            -- while it is being sent: the end of the lease
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL DEFAULT 0,  -- 0: never
    ended_at    INTEGER NOT NULL DEFAULT 0,  -- 0: still waiting
    error       TEXT    NOT NULL DEFAULT ''
);
-- The next messages to send; with created_at the age of the oldest needs no row.
CREATE INDEX outbox_due ON outbox (priority, due_at, id, created_at) WHERE state = 0;
-- Finds an older code of the same kind to the same person, which is sent first.
CREATE INDEX outbox_turn ON outbox (recipient, kind, id) WHERE state = 0 AND priority = 0;
CREATE INDEX outbox_ended ON outbox (ended_at) WHERE state <> 0; -- deletes old rows
CREATE INDEX outbox_dead ON outbox (id) WHERE state = 2;         -- counts dead letters
-- Erases a deleted user from settled messages. Waiting ones are found by
-- outbox_turn and outbox_due; in this index they would cost each message a write.
CREATE INDEX outbox_recipient ON outbox (recipient) WHERE state <> 0;

-- Events for the webhook service, written in the transaction of the change that they tell
-- of, and deleted once the inbox has stored them. Changes to one row commit in the order of
-- seq, because each transaction locks the row first.
CREATE TABLE outbox_events (
    seq        INTEGER PRIMARY KEY,
    id         INTEGER NOT NULL,
    type       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    body       TEXT    NOT NULL
);

-- Addresses that have unsubscribed from mails of optional kinds.
CREATE TABLE mail_optouts (
    email TEXT    PRIMARY KEY,
    at    INTEGER NOT NULL
) WITHOUT ROWID;

-- The development mailbox.
CREATE TABLE mailbox (
    id      INTEGER PRIMARY KEY,
    email   TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    lang    TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    html    TEXT    NOT NULL,
    code    TEXT    NOT NULL,
    link    TEXT    NOT NULL,
    sent_at INTEGER NOT NULL
);
CREATE INDEX mailbox_email ON mailbox (email, id); -- the mails to one address, newest first
CREATE INDEX mailbox_sent ON mailbox (sent_at);    -- deletes old rows
