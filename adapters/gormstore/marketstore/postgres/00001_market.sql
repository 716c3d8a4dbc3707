-- +goose Up
-- Times are Unix microseconds, 0 where something has not happened; money is
-- cents; *_key columns hold a text as the domain folds it for comparing.
CREATE TABLE books (
    id             BIGINT PRIMARY KEY,
    seller_id      BIGINT NOT NULL,
    buyer_id       BIGINT NOT NULL DEFAULT 0,
    status         INTEGER NOT NULL,
    name           TEXT    NOT NULL,
    course         TEXT    NOT NULL,
    edition        INTEGER NOT NULL,
    price          BIGINT NOT NULL,
    grade          INTEGER NOT NULL,
    available_at   BIGINT NOT NULL,
    comments       TEXT    NOT NULL,
    isbn           TEXT    NOT NULL,
    university     TEXT    NOT NULL,
    created_at     BIGINT NOT NULL,
    listed_at      BIGINT NOT NULL,
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
CREATE TABLE book_search (
    rowid BIGINT PRIMARY KEY,
    terms tsvector NOT NULL
);
CREATE INDEX book_search_terms ON book_search USING gin (terms);

-- Every term that was ever listed, and under which keys a slip finds it.
CREATE TABLE terms (
    term TEXT COLLATE "C" PRIMARY KEY
);
CREATE TABLE spellings (
    spelling TEXT COLLATE "C" NOT NULL,
    term     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (spelling, term)
);

CREATE TABLE requests (
    id         BIGINT PRIMARY KEY,
    owner_id   BIGINT NOT NULL,
    name       TEXT    NOT NULL,
    course     TEXT    NOT NULL,
    isbn       TEXT    NOT NULL,
    edition    INTEGER NOT NULL,
    max_price  BIGINT NOT NULL,
    status     INTEGER NOT NULL,
    filled_by  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK ((status = 1) = (filled_by <> 0))
);
CREATE INDEX requests_owner ON requests (owner_id, id);
CREATE INDEX requests_open ON requests (owner_id, id) WHERE status = 0;
CREATE INDEX requests_filled ON requests (filled_by) WHERE filled_by <> 0;

-- Where books look for open requests.
CREATE TABLE request_keys (
    key        TEXT COLLATE "C" NOT NULL,
    request_id BIGINT NOT NULL,
    PRIMARY KEY (key, request_id)
);
CREATE INDEX request_keys_request ON request_keys (request_id);

CREATE TABLE pairs (
    id         BIGINT PRIMARY KEY,
    book_id    BIGINT NOT NULL,
    request_id BIGINT NOT NULL,
    owner_id   BIGINT NOT NULL,
    reason     TEXT    NOT NULL,
    holds      INTEGER NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX pairs_once ON pairs (book_id, request_id);
CREATE INDEX pairs_request ON pairs (request_id);
CREATE INDEX pairs_owner ON pairs (owner_id, id) WHERE holds = 1;

CREATE TABLE carts (
    owner_id BIGINT NOT NULL,
    book_id  BIGINT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, book_id)
);
CREATE INDEX carts_book ON carts (book_id, owner_id);

CREATE TABLE orders (
    id           BIGINT PRIMARY KEY,
    book_id      BIGINT NOT NULL REFERENCES books (id),
    name         TEXT    NOT NULL,
    name_key     TEXT    NOT NULL,
    course       TEXT    NOT NULL,
    course_key   TEXT    NOT NULL,
    waited       BIGINT  NOT NULL, -- from listing to sale
    buyer_id     BIGINT NOT NULL,
    seller_id    BIGINT NOT NULL,
    price        BIGINT NOT NULL,
    fee          BIGINT NOT NULL,
    status       INTEGER NOT NULL,
    reason       TEXT    NOT NULL,
    created_at   BIGINT NOT NULL,
    verified_at  BIGINT NOT NULL,
    delivered_at BIGINT NOT NULL,
    cancelled_at BIGINT NOT NULL,
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
    order_id BIGINT NOT NULL REFERENCES orders (id),
    movement INTEGER NOT NULL CHECK (movement BETWEEN 1 AND 4),
    account  INTEGER NOT NULL CHECK (account BETWEEN 1 AND 4),
    amount   BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    PRIMARY KEY (order_id, movement, account)
);
CREATE INDEX ledger_at ON ledger (at);
-- +goose StatementBegin
CREATE FUNCTION ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER ledger_keeps BEFORE UPDATE OR DELETE ON ledger FOR EACH ROW EXECUTE FUNCTION ledger_refuses();

CREATE TABLE replies (
    owner_id    BIGINT NOT NULL,
    key         TEXT    NOT NULL,
    body_hash   BYTEA    NOT NULL,
    refusal     TEXT    NOT NULL,
    orders      TEXT    NOT NULL,
    unavailable TEXT    NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner_id, key)
);
CREATE INDEX replies_created ON replies (created_at);

CREATE TABLE chores (
    id      BIGINT PRIMARY KEY,
    kind    INTEGER NOT NULL,
    subject BIGINT NOT NULL,
    key     TEXT    NOT NULL,
    after   BIGINT NOT NULL
);

CREATE TABLE notices (
    user_id    BIGINT NOT NULL,
    n          BIGINT NOT NULL,
    kind       TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    book_id    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    read_at    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, n)
);
CREATE INDEX notices_unread ON notices (user_id) WHERE read_at = 0;
CREATE TABLE notice_counters (
    user_id BIGINT PRIMARY KEY,
    n       BIGINT NOT NULL
);

-- +goose Down
DROP TABLE notice_counters;
DROP TABLE notices;
DROP TABLE chores;
DROP TABLE replies;
DROP TABLE ledger;
DROP FUNCTION ledger_refuses;
DROP TABLE orders;
DROP TABLE carts;
DROP TABLE pairs;
DROP TABLE request_keys;
DROP TABLE requests;
DROP TABLE spellings;
DROP TABLE terms;
DROP TABLE book_search;
DROP TABLE books;
