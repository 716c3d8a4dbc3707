-- +goose Up
CREATE TABLE outbox (
    id         INTEGER PRIMARY KEY,
    kind       TEXT    NOT NULL,
    recipient  TEXT    NOT NULL,
    lang       TEXT    NOT NULL,
    params     TEXT    NOT NULL,           -- a JSON object of strings
    secret     BLOB,                       -- code and link, sealed; NULL: none, or erased
    priority   INTEGER NOT NULL,           -- 0 urgent, 1 the rest
    state      INTEGER NOT NULL DEFAULT 0, -- 0 waiting, 1 sent, 2 dead, 3 declined
    tries      INTEGER NOT NULL DEFAULT 0, -- also fences who holds the lease
    due_at     INTEGER NOT NULL,           -- while it is being sent: when the lease runs out
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL DEFAULT 0, -- 0: never
    ended_at   INTEGER NOT NULL DEFAULT 0, -- 0: still waiting
    error      TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX outbox_due ON outbox (priority, due_at, id, created_at) WHERE state = 0;
CREATE INDEX outbox_turn ON outbox (recipient, kind, id) WHERE state = 0 AND priority = 0;
CREATE INDEX outbox_ended ON outbox (ended_at) WHERE state <> 0;
CREATE INDEX outbox_dead ON outbox (id) WHERE state = 2;

CREATE TABLE mail_optouts (
    email TEXT    PRIMARY KEY,
    at    INTEGER NOT NULL
) WITHOUT ROWID;

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
CREATE INDEX mailbox_email ON mailbox (email, id);
CREATE INDEX mailbox_sent ON mailbox (sent_at);

-- +goose Down
DROP TABLE mailbox;
DROP TABLE mail_optouts;
DROP TABLE outbox;
