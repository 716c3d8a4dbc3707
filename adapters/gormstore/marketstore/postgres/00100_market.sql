-- +goose Up
-- Times are Unix microseconds, 0 if the event has not happened. Money is in cents.
-- A *_key column has a text as the domain folds it for comparison.

CREATE TABLE books (
    id             BIGINT PRIMARY KEY,
    seller_id      BIGINT  NOT NULL,
    buyer_id       BIGINT  NOT NULL DEFAULT 0,
    status         INTEGER NOT NULL, -- see domain/book
    name           TEXT    NOT NULL,
    course         TEXT    NOT NULL,
    edition        INTEGER NOT NULL,
    price          BIGINT  NOT NULL,
    grade          INTEGER NOT NULL, -- the condition
    available_at   BIGINT  NOT NULL,
    comments       TEXT    NOT NULL,
    isbn           TEXT    NOT NULL,
    university     TEXT    NOT NULL,
    created_at     BIGINT  NOT NULL,
    listed_at      BIGINT  NOT NULL,
    held           SMALLINT NOT NULL DEFAULT 0, -- 1: an admin has unlisted it
    title_key      TEXT    NOT NULL,
    course_key     TEXT    NOT NULL,
    university_key TEXT    NOT NULL,
    CHECK (status IN (0, 1, 2, 3, 5)),
    CHECK ((buyer_id <> 0) = (status IN (1, 2, 3)))
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
CREATE TABLE book_search (
    rowid BIGINT PRIMARY KEY,
    terms tsvector NOT NULL
);
-- A search reads every entry of the pending list, so keep it short.
CREATE INDEX book_search_terms ON book_search USING gin (terms) WITH (gin_pending_list_limit = 256); -- kB

-- Every word that was ever listed, in byte order for completion, and the deletion keys
-- by which its misspellings are found.
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
    owner_id   BIGINT  NOT NULL,
    name       TEXT    NOT NULL,
    course     TEXT    NOT NULL,
    isbn       TEXT    NOT NULL,
    edition    INTEGER NOT NULL,
    max_price  BIGINT  NOT NULL,
    status     INTEGER NOT NULL, -- 0 open, 1 filled
    filled_by  BIGINT  NOT NULL, -- the book
    created_at BIGINT  NOT NULL,
    CHECK ((status = 1) = (filled_by <> 0))
);
CREATE INDEX requests_owner ON requests (owner_id, id);                    -- a student's requests, newest first
CREATE INDEX requests_open ON requests (owner_id, id) WHERE status = 0;    -- the number of open ones
CREATE INDEX requests_filled ON requests (filled_by) WHERE filled_by <> 0; -- those to reopen when a sale is cancelled

-- The keys under which a posted book finds open requests, see docs/adr/0010.
CREATE TABLE request_keys (
    key        TEXT COLLATE "C" NOT NULL,
    request_id BIGINT NOT NULL,
    words      BIGINT NOT NULL, -- Bloom filter of the words that the book must have
    PRIMARY KEY (key, request_id)
);
CREATE INDEX request_keys_request ON request_keys (request_id); -- the keys of a request

-- Books and the requests that they match.
CREATE TABLE pairs (
    id         BIGINT PRIMARY KEY,
    book_id    BIGINT  NOT NULL,
    request_id BIGINT  NOT NULL,
    owner_id   BIGINT  NOT NULL, -- of the request
    reason     TEXT    NOT NULL,
    holds      INTEGER NOT NULL, -- 0: no longer valid; the row remains so that the owner is not notified twice
    created_at BIGINT  NOT NULL
);
CREATE UNIQUE INDEX pairs_once ON pairs (book_id, request_id);    -- decides whether a match is new
CREATE INDEX pairs_request ON pairs (request_id);                 -- the matches of a request
CREATE INDEX pairs_owner ON pairs (owner_id, id) WHERE holds = 1; -- a student's matches, newest first

CREATE TABLE carts (
    owner_id BIGINT NOT NULL,
    book_id  BIGINT NOT NULL,
    added_at BIGINT NOT NULL,
    price    BIGINT NOT NULL, -- that the owner knows
    PRIMARY KEY (owner_id, book_id)
);
CREATE INDEX carts_book ON carts (book_id, owner_id); -- those to notify when a book is gone

CREATE TABLE orders (
    id           BIGINT PRIMARY KEY,
    book_id      BIGINT  NOT NULL REFERENCES books (id),
    -- The book as it was when it was sold.
    name         TEXT    NOT NULL,
    name_key     TEXT    NOT NULL,
    course       TEXT    NOT NULL,
    course_key   TEXT COLLATE "C" NOT NULL,
    isbn         TEXT    NOT NULL DEFAULT '',
    waited       BIGINT  NOT NULL, -- from listing to sale
    buyer_id     BIGINT  NOT NULL,
    seller_id    BIGINT  NOT NULL,
    price        BIGINT  NOT NULL,
    fee          BIGINT  NOT NULL,
    status       INTEGER NOT NULL, -- the status of the book, or -1: cancelled
    reason       TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL,
    verified_at  BIGINT  NOT NULL,
    delivered_at BIGINT  NOT NULL,
    cancelled_at BIGINT  NOT NULL,
    verified_by  BIGINT  NOT NULL, -- 0: nobody, as below
    delivered_by BIGINT  NOT NULL,
    cancelled_by BIGINT  NOT NULL,
    CHECK (status IN (1, 2, 3, -1)),
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
    order_id BIGINT  NOT NULL REFERENCES orders (id),
    movement INTEGER NOT NULL CHECK (movement BETWEEN 1 AND 4),
    account  INTEGER NOT NULL CHECK (account BETWEEN 1 AND 4),
    amount   BIGINT  NOT NULL,
    at       BIGINT  NOT NULL,
    PRIMARY KEY (order_id, movement, account)
);
-- +goose StatementBegin
CREATE FUNCTION ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER ledger_keeps BEFORE UPDATE OR DELETE ON ledger FOR EACH ROW EXECUTE FUNCTION ledger_refuses();

-- Responses under an Idempotency-Key, which are sent again if the request is repeated.
CREATE TABLE replies (
    owner_id    BIGINT NOT NULL,
    key         TEXT   NOT NULL,
    body_hash   BYTEA  NOT NULL,
    refusal     TEXT   NOT NULL,
    orders      TEXT   NOT NULL,
    unavailable TEXT   NOT NULL,
    total       BIGINT NOT NULL, -- of a checkout at another price
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner_id, key)
);
CREATE INDEX replies_created ON replies (created_at); -- the sweep

-- Work that continues after the transaction that began it.
CREATE TABLE chores (
    id      BIGINT PRIMARY KEY,
    kind    INTEGER NOT NULL,
    subject BIGINT  NOT NULL,
    key     TEXT    NOT NULL,
    after   BIGINT  NOT NULL -- the position to resume at
);

CREATE TABLE notices (
    user_id    BIGINT NOT NULL,
    n          BIGINT NOT NULL, -- 1, 2, 3, … for each user
    kind       TEXT   NOT NULL,
    message    TEXT   NOT NULL,
    book_id    BIGINT NOT NULL,
    order_id   BIGINT NOT NULL, -- 0: none
    created_at BIGINT NOT NULL,
    read_at    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, n)
);
CREATE INDEX notices_unread ON notices (user_id) WHERE read_at = 0; -- the number of unread ones
-- The last number of each user, locked until the commit, so that the notices of a user
-- commit in the order of their numbers.
CREATE TABLE notice_counters (
    user_id BIGINT PRIMARY KEY,
    n       BIGINT NOT NULL -- -1: the account is deleted
);

-- The counters of the dashboard, see docs/adr/0013. kind: 1 books in a status (key);
-- per quarter of an hour (key, quarters since 1970), which divides the days of every time zone: 2 books posted, 3 live orders, 4 sign-ups,
-- 5 money moved, 6 fees, the last three also for all time (key -1); 7 live orders by whole hours from listing to sale (key).
-- A counter is the sum of its slots, one for each transaction that changed it concurrently.
CREATE TABLE tallies (
    slot BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind INTEGER NOT NULL,
    key  BIGINT  NOT NULL,
    n    BIGINT  NOT NULL
);
CREATE INDEX tallies_kind ON tallies (kind, key); -- the slots of a counter, and the days of a chart

-- The number of live orders for a course.
CREATE TABLE course_sales (
    course_key TEXT COLLATE "C" PRIMARY KEY,
    sold       BIGINT NOT NULL
);
CREATE INDEX course_sales_busiest ON course_sales (sold DESC, course_key) WHERE sold > 0;

-- The expected counters: `octavo ledger check` compares them.
CREATE VIEW recount AS
SELECT 1 AS kind, status::BIGINT AS key, count(*) AS n FROM books GROUP BY status
UNION ALL
SELECT 2, created_at / 900000000, count(*) FROM books GROUP BY 2
UNION ALL
SELECT 3, created_at / 900000000, count(*) FROM orders WHERE status > 0 GROUP BY 2
UNION ALL
SELECT 4, created_at / 900000000, count(*) FROM users WHERE deleted_at IS NULL GROUP BY 2
UNION ALL
SELECT 5, at / 900000000, sum(amount)::BIGINT FROM ledger WHERE account = 2 AND movement <> 3 GROUP BY 2
UNION ALL
SELECT 6, at / 900000000, sum(amount)::BIGINT FROM ledger WHERE account = 3 GROUP BY 2
UNION ALL
SELECT 4, -1, count(*) FROM users WHERE deleted_at IS NULL HAVING count(*) > 0
UNION ALL
SELECT 5, -1, sum(amount)::BIGINT FROM ledger WHERE account = 2 AND movement <> 3 HAVING count(*) > 0
UNION ALL
SELECT 6, -1, sum(amount)::BIGINT FROM ledger WHERE account = 3 HAVING count(*) > 0
UNION ALL
SELECT 7, greatest(waited, 0) / 3600000000, count(*) FROM orders WHERE status > 0 GROUP BY 2;

-- tally adds to a slot that no other transaction has locked, or to a new one. It never waits,
-- so it cannot cause a deadlock.
-- +goose StatementBegin
CREATE FUNCTION tally(of_kind INTEGER, of_key BIGINT, delta BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    free BIGINT;
BEGIN
    SELECT slot INTO free FROM tallies WHERE kind = of_kind AND key = of_key LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE tallies SET n = n + delta WHERE slot = free;
    ELSE
        INSERT INTO tallies (kind, key, n) VALUES (of_kind, of_key, delta);
    END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION tally_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM tally(2, NEW.created_at / 900000000, 1);
    ELSE
        PERFORM tally(1, OLD.status, -1);
    END IF;
    PERFORM tally(1, NEW.status, 1);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER books_tallied AFTER INSERT ON books FOR EACH ROW EXECUTE FUNCTION tally_book();
CREATE TRIGGER books_moved AFTER UPDATE OF status ON books FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION tally_book();

-- +goose StatementBegin
CREATE FUNCTION tally_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    delta BIGINT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM tally(3, NEW.created_at / 900000000, delta);
    PERFORM tally(7, greatest(NEW.waited, 0) / 3600000000, delta);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER orders_tallied AFTER INSERT ON orders FOR EACH ROW WHEN (NEW.status > 0) EXECUTE FUNCTION tally_order();
CREATE TRIGGER orders_cancelled AFTER UPDATE OF status ON orders FOR EACH ROW
    WHEN (OLD.status > 0 AND NEW.status < 0) EXECUTE FUNCTION tally_order();

-- Two sales of one course wait for each other. The triggers are deferred, so that they wait
-- only during the commit.
-- +goose StatementBegin
CREATE FUNCTION count_course_sale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO course_sales AS c VALUES (NEW.course_key, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END)
        ON CONFLICT (course_key) DO UPDATE SET sold = c.sold + excluded.sold;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER orders_counted AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.status > 0) EXECUTE FUNCTION count_course_sale();
CREATE CONSTRAINT TRIGGER orders_uncounted AFTER UPDATE OF status ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.status > 0 AND NEW.status < 0) EXECUTE FUNCTION count_course_sale();

-- +goose StatementBegin
CREATE FUNCTION tally_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(CASE NEW.account WHEN 3 THEN 6 ELSE 5 END, NEW.at / 900000000, NEW.amount);
    PERFORM tally(CASE NEW.account WHEN 3 THEN 6 ELSE 5 END, -1, NEW.amount);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER entries_tallied AFTER INSERT ON ledger FOR EACH ROW
    WHEN (NEW.account = 3 OR NEW.account = 2 AND NEW.movement <> 3) EXECUTE FUNCTION tally_entry();

-- +goose StatementBegin
CREATE FUNCTION tally_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(4, NEW.created_at / 900000000, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
    PERFORM tally(4, -1, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER users_tallied AFTER INSERT ON users FOR EACH ROW WHEN (NEW.deleted_at IS NULL) EXECUTE FUNCTION tally_person();
CREATE TRIGGER users_gone AFTER UPDATE OF deleted_at ON users FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION tally_person();

-- Accounts may exist already: the auth service can run without a marketplace.
-- Creating the triggers has locked users until this transaction ends, so that each
-- sign-up is counted once.
INSERT INTO tallies (kind, key, n) SELECT kind, key, n FROM recount;
