-- +goose Up
-- What two people write to each other about a book. Each side has its own columns.
CREATE TABLE conversations (
    id               INTEGER PRIMARY KEY,
    book_id          INTEGER NOT NULL REFERENCES books (id),
    seller_id        INTEGER NOT NULL,
    seller_sent      INTEGER NOT NULL, -- messages
    seller_unread    INTEGER NOT NULL, -- messages of the other side
    seller_mailed_at INTEGER NOT NULL, -- 0: never
    seller_gone      INTEGER NOT NULL, -- 1: the account is deleted
    buyer_id         INTEGER NOT NULL, -- who buys the book or asks about it
    buyer_sent       INTEGER NOT NULL,
    buyer_unread     INTEGER NOT NULL,
    buyer_mailed_at  INTEGER NOT NULL,
    buyer_gone       INTEGER NOT NULL,
    last_id          INTEGER NOT NULL, -- the newest message
    created_at       INTEGER NOT NULL,
    last_at          INTEGER NOT NULL
);
CREATE UNIQUE INDEX conversations_book ON conversations (book_id, buyer_id);
CREATE INDEX conversations_seller ON conversations (seller_id, last_id); -- a user's list, with the next one
CREATE INDEX conversations_buyer ON conversations (buyer_id, last_id);
CREATE INDEX conversations_seller_unread ON conversations (seller_id, seller_unread) WHERE seller_unread > 0;
CREATE INDEX conversations_buyer_unread ON conversations (buyer_id, buyer_unread) WHERE buyer_unread > 0;
CREATE INDEX conversations_swept ON conversations (last_at);

CREATE TABLE messages (
    conversation_id INTEGER NOT NULL REFERENCES conversations (id),
    n               INTEGER NOT NULL, -- from 1, without gaps
    id              INTEGER NOT NULL,
    from_id         INTEGER NOT NULL,
    text            TEXT    NOT NULL, -- empty: the account of the author is deleted
    created_at      INTEGER NOT NULL,
    read_at         INTEGER NOT NULL, -- 0: unread
    PRIMARY KEY (conversation_id, n)
) WITHOUT ROWID;
CREATE INDEX messages_from ON messages (from_id, id);                              -- the export, and the erasure
CREATE INDEX messages_unread ON messages (conversation_id, n) WHERE read_at = 0;

-- Who does not want to exchange messages with whom.
CREATE TABLE blocks (
    id         INTEGER PRIMARY KEY,
    by_id      INTEGER NOT NULL,
    of_id      INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX blocks_pair ON blocks (by_id, of_id);
CREATE INDEX blocks_list ON blocks (by_id, id);
CREATE INDEX blocks_of ON blocks (of_id); -- the erasure

ALTER TABLE notices ADD COLUMN conversation_id INTEGER NOT NULL DEFAULT 0;
CREATE INDEX notices_conversation ON notices (user_id, conversation_id) WHERE conversation_id <> 0 AND read_at = 0;
