-- +goose Up
-- Times are Unix microseconds, 0 if the event has not happened. Money is in cents.
-- A *_key column has a text as the domain folds it for comparison.

CREATE TABLE books (
    id             INTEGER PRIMARY KEY,
    seller_id      INTEGER NOT NULL,
    buyer_id       INTEGER NOT NULL DEFAULT 0,
    status         INTEGER NOT NULL, -- see domain/book
    name           TEXT    NOT NULL,
    course         TEXT    NOT NULL,
    edition        INTEGER NOT NULL,
    price          INTEGER NOT NULL,
    grade          INTEGER NOT NULL, -- the condition
    available_at   INTEGER NOT NULL,
    comments       TEXT    NOT NULL,
    isbn           TEXT    NOT NULL,
    university     TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    listed_at      INTEGER NOT NULL,
    held           INTEGER NOT NULL DEFAULT 0, -- 1: an admin has unlisted it
    title_key      TEXT    NOT NULL,
    course_key     TEXT    NOT NULL,
    university_key TEXT    NOT NULL,
    -- No IN: with more than two values SQLite fills an ephemeral table at every check.
    CHECK (status = 0 OR status = 1 OR status = 2 OR status = 3 OR status = 5),
    CHECK ((buyer_id <> 0) = (status = 1 OR status = 2 OR status = 3))
);
-- Lists of books for sale, newest first: all, of a university, with an ISBN, of a
-- course, with a title. The first two filter by price and condition within the index,
-- the third summarises the copies of a title.
CREATE INDEX books_listed ON books (id, price, grade) WHERE status = 0;
CREATE INDEX books_university ON books (university_key, id, price, grade) WHERE status = 0;
CREATE INDEX books_isbn ON books (isbn, id, price, grade, university_key) WHERE status = 0 AND isbn <> '';
CREATE INDEX books_course ON books (course_key, id) WHERE status = 0;
CREATE INDEX books_title ON books (title_key, id) WHERE status = 0;
-- Lists of books for sale by price: one range of the index for each condition.
CREATE INDEX books_grade_price ON books (grade, price, id DESC) WHERE status = 0;
CREATE INDEX books_university_grade_price ON books (university_key, grade, price, id DESC) WHERE status = 0;
CREATE INDEX books_isbn_others ON books (isbn, id) WHERE status <> 0 AND isbn <> ''; -- earlier posts with an ISBN
CREATE INDEX books_status ON books (status, id) WHERE status <> 0; -- the admins' lists by status
CREATE INDEX books_seller ON books (seller_id, id);                -- a seller's books, newest first
CREATE INDEX books_campus ON books (university_key, created_at, status, id); -- the statistics of a university

-- The full-text index of the books for sale: words, and facets with an underscore for
-- the university, the condition and the price step.
CREATE VIRTUAL TABLE book_search USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
-- A search reads every segment, so merge two of a size, not the default of four.
INSERT INTO book_search (book_search, rank) VALUES ('automerge', 2);

-- Every word that was ever listed, in byte order for completion, and the deletion keys
-- by which its misspellings are found.
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
    status     INTEGER NOT NULL, -- 0 open, 1 filled
    filled_by  INTEGER NOT NULL, -- the book
    created_at INTEGER NOT NULL,
    CHECK ((status = 1) = (filled_by <> 0))
);
CREATE INDEX requests_owner ON requests (owner_id, id);                    -- a student's requests, newest first
CREATE INDEX requests_open ON requests (owner_id, id) WHERE status = 0;    -- the number of open ones
CREATE INDEX requests_filled ON requests (filled_by) WHERE filled_by <> 0; -- those to reopen when a sale is cancelled

-- The keys under which a posted book finds open requests, see docs/adr/0010.
CREATE TABLE request_keys (
    key        TEXT NOT NULL,
    request_id INTEGER NOT NULL,
    words      INTEGER NOT NULL, -- Bloom filter of the words that the book must have
    PRIMARY KEY (key, request_id)
) WITHOUT ROWID;
CREATE INDEX request_keys_request ON request_keys (request_id); -- the keys of a request

-- Books and the requests that they match.
CREATE TABLE pairs (
    id         INTEGER PRIMARY KEY,
    book_id    INTEGER NOT NULL,
    request_id INTEGER NOT NULL,
    owner_id   INTEGER NOT NULL, -- of the request
    reason     TEXT    NOT NULL,
    holds      INTEGER NOT NULL, -- 0: no longer valid; the row remains so that the owner is not notified twice
    created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX pairs_once ON pairs (book_id, request_id);    -- decides whether a match is new
CREATE INDEX pairs_request ON pairs (request_id);                 -- the matches of a request
CREATE INDEX pairs_owner ON pairs (owner_id, id) WHERE holds = 1; -- a student's matches, newest first

CREATE TABLE carts (
    owner_id INTEGER NOT NULL,
    book_id  INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    price    INTEGER NOT NULL, -- that the owner knows
    PRIMARY KEY (owner_id, book_id)
) WITHOUT ROWID;
CREATE INDEX carts_book ON carts (book_id, owner_id); -- those to notify when a book is gone

CREATE TABLE orders (
    id           INTEGER PRIMARY KEY,
    book_id      INTEGER NOT NULL REFERENCES books (id),
    -- The book as it was when it was sold.
    name         TEXT    NOT NULL,
    name_key     TEXT    NOT NULL,
    course       TEXT    NOT NULL,
    course_key   TEXT    NOT NULL,
    isbn         TEXT    NOT NULL DEFAULT '',
    waited       INTEGER NOT NULL, -- from listing to sale
    buyer_id     INTEGER NOT NULL,
    seller_id    INTEGER NOT NULL,
    price        INTEGER NOT NULL,
    fee          INTEGER NOT NULL,
    status       INTEGER NOT NULL, -- the status of the book, or -1: cancelled
    reason       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    verified_at  INTEGER NOT NULL,
    delivered_at INTEGER NOT NULL,
    cancelled_at INTEGER NOT NULL,
    verified_by  INTEGER NOT NULL, -- 0: nobody, as below
    delivered_by INTEGER NOT NULL,
    cancelled_by INTEGER NOT NULL,
    CHECK (status = 1 OR status = 2 OR status = 3 OR status = -1),
    CHECK (buyer_id <> seller_id)
);
CREATE UNIQUE INDEX orders_live ON orders (book_id) WHERE status > 0; -- a book has one order that is not cancelled
CREATE INDEX orders_cancelled ON orders (book_id) WHERE status = -1; -- the others, for a book's history
-- A student's orders in every status, newest first.
CREATE INDEX orders_of_buyer ON orders (buyer_id, id);
CREATE INDEX orders_of_seller ON orders (seller_id, id);
CREATE INDEX orders_status ON orders (status, id);                          -- the admins' lists by status
CREATE INDEX orders_course ON orders (course_key, course) WHERE status > 0; -- the most frequent spelling of a busy course
CREATE INDEX orders_waited ON orders (waited) WHERE status > 0;             -- the median of the middle hour
-- The last delivered sales with an ISBN, of a course, with a title: for price hints.
CREATE INDEX orders_isbn_delivered ON orders (isbn, delivered_at, id) WHERE status = 3 AND isbn <> '';
CREATE INDEX orders_course_delivered ON orders (course_key, delivered_at, id) WHERE status = 3;
CREATE INDEX orders_name_delivered ON orders (name_key, delivered_at, id) WHERE status = 3;

-- Each movement has at most one entry for each account of an order. The numbers are
-- defined in domain/order.
CREATE TABLE ledger (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    movement INTEGER NOT NULL CHECK (movement BETWEEN 1 AND 4),
    account  INTEGER NOT NULL CHECK (account BETWEEN 1 AND 4),
    amount   INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (order_id, movement, account)
) WITHOUT ROWID;
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

-- Responses under an Idempotency-Key, which are sent again if the request is repeated.
CREATE TABLE replies (
    owner_id    INTEGER NOT NULL,
    key         TEXT    NOT NULL,
    body_hash   BLOB    NOT NULL,
    refusal     TEXT    NOT NULL,
    orders      TEXT    NOT NULL,
    unavailable TEXT    NOT NULL,
    total       INTEGER NOT NULL, -- of a checkout at another price
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (owner_id, key)
) WITHOUT ROWID;
CREATE INDEX replies_created ON replies (created_at); -- the sweep

-- Work that continues after the transaction that began it.
CREATE TABLE chores (
    id      INTEGER PRIMARY KEY,
    kind    INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    key     TEXT    NOT NULL,
    after   INTEGER NOT NULL -- the position to resume at
);

CREATE TABLE notices (
    user_id    INTEGER NOT NULL,
    n          INTEGER NOT NULL, -- 1, 2, 3, … for each user
    kind       TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    book_id    INTEGER NOT NULL,
    order_id   INTEGER NOT NULL, -- 0: none
    created_at INTEGER NOT NULL,
    read_at    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, n)
) WITHOUT ROWID;
-- Unread notices need no index: a user has at most 1,100 notices, stored together, so
-- counting scans them.

-- The last number of each user, locked until the commit, so that the notices of a user
-- commit in the order of their numbers.
CREATE TABLE notice_counters (
    user_id INTEGER PRIMARY KEY,
    n       INTEGER NOT NULL -- -1: the account is deleted
);

-- The counters of the dashboard, see docs/adr/0013. kind: 1 books in a status (key);
-- per quarter of an hour (key, quarters since 1970), which divides the days of every time zone: 2 books posted, 3 live orders, 4 sign-ups,
-- 5 money moved, 6 fees, the last three also for all time (key -1); 7 live orders by whole hours from listing to sale (key).
CREATE TABLE tallies (
    kind INTEGER NOT NULL,
    key  INTEGER NOT NULL,
    n    INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;

-- The number of live orders for a course.
CREATE TABLE course_sales (
    course_key TEXT    PRIMARY KEY,
    sold       INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX course_sales_busiest ON course_sales (sold DESC, course_key) WHERE sold > 0;

-- The expected counters: `octavo ledger check` compares them.
CREATE VIEW recount AS
SELECT 1 AS kind, status AS key, count(*) AS n FROM books GROUP BY status
UNION ALL
SELECT 2, created_at / 900000000 AS period, count(*) FROM books GROUP BY period
UNION ALL
SELECT 3, created_at / 900000000 AS period, count(*) FROM orders WHERE status > 0 GROUP BY period
UNION ALL
SELECT 4, created_at / 900000000 AS period, count(*) FROM users WHERE deleted_at IS NULL GROUP BY period
UNION ALL
SELECT 5, at / 900000000 AS period, sum(amount) FROM ledger WHERE account = 2 AND movement <> 3 GROUP BY period
UNION ALL
SELECT 6, at / 900000000 AS period, sum(amount) FROM ledger WHERE account = 3 GROUP BY period
UNION ALL
SELECT 4, -1, count(*) FROM users WHERE deleted_at IS NULL HAVING count(*) > 0
UNION ALL
SELECT 5, -1, sum(amount) FROM ledger WHERE account = 2 AND movement <> 3 HAVING count(*) > 0
UNION ALL
SELECT 6, -1, sum(amount) FROM ledger WHERE account = 3 HAVING count(*) > 0
UNION ALL
SELECT 7, max(waited, 0) / 3600000000 AS hours, count(*) FROM orders WHERE status > 0 GROUP BY hours;

-- +goose StatementBegin
CREATE TRIGGER books_tallied AFTER INSERT ON books BEGIN
    INSERT INTO tallies VALUES (1, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (2, NEW.created_at / 900000000, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER books_moved AFTER UPDATE OF status ON books WHEN OLD.status <> NEW.status BEGIN
    INSERT INTO tallies VALUES (1, OLD.status, -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (1, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_tallied AFTER INSERT ON orders WHEN NEW.status > 0 BEGIN
    INSERT INTO tallies VALUES (3, NEW.created_at / 900000000, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (7, max(NEW.waited, 0) / 3600000000, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO course_sales VALUES (NEW.course_key, 1) ON CONFLICT DO UPDATE SET sold = sold + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_cancelled AFTER UPDATE OF status ON orders WHEN OLD.status > 0 AND NEW.status < 0 BEGIN
    INSERT INTO tallies VALUES (3, OLD.created_at / 900000000, -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (7, max(OLD.waited, 0) / 3600000000, -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    UPDATE course_sales SET sold = sold - 1 WHERE course_key = OLD.course_key;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER money_tallied AFTER INSERT ON ledger WHEN NEW.account = 2 AND NEW.movement <> 3 BEGIN
    INSERT INTO tallies VALUES (5, NEW.at / 900000000, NEW.amount), (5, -1, NEW.amount) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER fees_tallied AFTER INSERT ON ledger WHEN NEW.account = 3 BEGIN
    INSERT INTO tallies VALUES (6, NEW.at / 900000000, NEW.amount), (6, -1, NEW.amount) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_tallied AFTER INSERT ON users WHEN NEW.deleted_at IS NULL BEGIN
    INSERT INTO tallies VALUES (4, NEW.created_at / 900000000, 1), (4, -1, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_gone AFTER UPDATE OF deleted_at ON users WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
    INSERT INTO tallies VALUES (4, OLD.created_at / 900000000, -1), (4, -1, -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd

-- Accounts may exist already: the auth service can run without a marketplace.
INSERT INTO tallies (kind, key, n) SELECT kind, key, n FROM recount;
