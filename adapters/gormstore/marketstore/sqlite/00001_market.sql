-- +goose Up
-- Times are Unix microseconds, 0 where something has not happened; money is
-- cents; *_key columns hold a text as the domain folds it for comparing.
CREATE TABLE books (
    id             INTEGER PRIMARY KEY,
    seller_id      INTEGER NOT NULL,
    buyer_id       INTEGER NOT NULL DEFAULT 0,
    status         INTEGER NOT NULL,
    name           TEXT    NOT NULL,
    course         TEXT    NOT NULL,
    edition        INTEGER NOT NULL,
    price          INTEGER NOT NULL,
    grade          INTEGER NOT NULL,
    available_at   INTEGER NOT NULL,
    comments       TEXT    NOT NULL,
    isbn           TEXT    NOT NULL,
    university     TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    listed_at      INTEGER NOT NULL,
    title_key      TEXT    NOT NULL,
    course_key     TEXT    NOT NULL,
    university_key TEXT    NOT NULL,
    CHECK (status IN (0, 1, 2, 3, 5)),
    CHECK ((buyer_id <> 0) = (status IN (1, 2, 3)))
);
CREATE INDEX books_listed ON books (id) WHERE status = 0;
CREATE INDEX books_isbn ON books (isbn, id) WHERE status = 0 AND isbn <> '';
CREATE INDEX books_course ON books (course_key, id) WHERE status = 0;
CREATE INDEX books_title ON books (title_key, id) WHERE status = 0;
CREATE INDEX books_university ON books (university_key, id) WHERE status = 0;
CREATE INDEX books_price ON books (price, id) WHERE status = 0;
CREATE INDEX books_status ON books (status, id) WHERE status <> 0;
CREATE INDEX books_seller ON books (seller_id, id);
CREATE INDEX books_created ON books (created_at);

-- The terms of the books for sale, and marks that begin with an underscore for
-- what a search may be narrowed by.
CREATE VIRTUAL TABLE book_search USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);

-- Every term that was ever listed, and under which keys a slip finds it.
CREATE TABLE terms (
    term TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE spellings (
    spelling TEXT NOT NULL,
    term     TEXT NOT NULL,
    PRIMARY KEY (spelling, term)
) WITHOUT ROWID;

CREATE TABLE requests (
    id         INTEGER PRIMARY KEY,
    owner_id   INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    course     TEXT    NOT NULL,
    isbn       TEXT    NOT NULL,
    edition    INTEGER NOT NULL,
    max_price  INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    filled_by  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    CHECK ((status = 1) = (filled_by <> 0))
);
CREATE INDEX requests_owner ON requests (owner_id, id);
CREATE INDEX requests_open ON requests (owner_id, id) WHERE status = 0;
CREATE INDEX requests_filled ON requests (filled_by) WHERE filled_by <> 0;

-- Where books look for open requests.
CREATE TABLE request_keys (
    key        TEXT    NOT NULL,
    request_id INTEGER NOT NULL,
    PRIMARY KEY (key, request_id)
) WITHOUT ROWID;
CREATE INDEX request_keys_request ON request_keys (request_id);

CREATE TABLE pairs (
    id         INTEGER PRIMARY KEY,
    book_id    INTEGER NOT NULL,
    request_id INTEGER NOT NULL,
    owner_id   INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    holds      INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX pairs_once ON pairs (book_id, request_id);
CREATE INDEX pairs_request ON pairs (request_id);
CREATE INDEX pairs_owner ON pairs (owner_id, id) WHERE holds = 1;

CREATE TABLE carts (
    owner_id INTEGER NOT NULL,
    book_id  INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, book_id)
) WITHOUT ROWID;
CREATE INDEX carts_book ON carts (book_id, owner_id);

CREATE TABLE orders (
    id           INTEGER PRIMARY KEY,
    book_id      INTEGER NOT NULL REFERENCES books (id),
    name         TEXT    NOT NULL,
    name_key     TEXT    NOT NULL,
    course       TEXT    NOT NULL,
    course_key   TEXT    NOT NULL,
    waited       INTEGER NOT NULL, -- from listing to sale
    buyer_id     INTEGER NOT NULL,
    seller_id    INTEGER NOT NULL,
    price        INTEGER NOT NULL,
    fee          INTEGER NOT NULL,
    status       INTEGER NOT NULL,
    reason       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    verified_at  INTEGER NOT NULL,
    delivered_at INTEGER NOT NULL,
    cancelled_at INTEGER NOT NULL,
    CHECK (status IN (1, 2, 3, -1)),
    CHECK (buyer_id <> seller_id)
);
CREATE UNIQUE INDEX orders_live ON orders (book_id) WHERE status > 0;
CREATE INDEX orders_buyer ON orders (buyer_id, id) WHERE status > 0;
CREATE INDEX orders_seller ON orders (seller_id, id) WHERE status > 0;
CREATE INDEX orders_status ON orders (status, id);
CREATE INDEX orders_course ON orders (course_key, course) WHERE status > 0;
CREATE INDEX orders_waited ON orders (waited) WHERE status > 0;
CREATE INDEX orders_created ON orders (created_at) WHERE status > 0;

-- Each movement touches each account of an order once at most.
CREATE TABLE ledger (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    movement INTEGER NOT NULL CHECK (movement BETWEEN 1 AND 4),
    account  INTEGER NOT NULL CHECK (account BETWEEN 1 AND 4),
    amount   INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (order_id, movement, account)
) WITHOUT ROWID;
CREATE INDEX ledger_at ON ledger (at);
-- +goose StatementBegin
CREATE TRIGGER ledger_keeps BEFORE UPDATE ON ledger BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_stays BEFORE DELETE ON ledger BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd

CREATE TABLE replies (
    owner_id    INTEGER NOT NULL,
    key         TEXT    NOT NULL,
    body_hash   BLOB    NOT NULL,
    refusal     TEXT    NOT NULL,
    orders      TEXT    NOT NULL,
    unavailable TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (owner_id, key)
) WITHOUT ROWID;
CREATE INDEX replies_created ON replies (created_at);

CREATE TABLE chores (
    id      INTEGER PRIMARY KEY,
    kind    INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    key     TEXT    NOT NULL,
    after   INTEGER NOT NULL
);

CREATE TABLE notices (
    user_id    INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    book_id    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    read_at    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, n)
) WITHOUT ROWID;
CREATE INDEX notices_unread ON notices (user_id) WHERE read_at = 0;
CREATE TABLE notice_counters (
    user_id INTEGER PRIMARY KEY,
    n       INTEGER NOT NULL
);

-- +goose Down
DROP TABLE notice_counters;
DROP TABLE notices;
DROP TABLE chores;
DROP TABLE replies;
DROP TABLE ledger;
DROP TABLE orders;
DROP TABLE carts;
DROP TABLE pairs;
DROP TABLE request_keys;
DROP TABLE requests;
DROP TABLE spellings;
DROP TABLE terms;
DROP TABLE book_search;
DROP TABLE books;
