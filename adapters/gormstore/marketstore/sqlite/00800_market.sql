-- +goose Up
-- Times are Unix microseconds, 0 if the event has not happened. Money is in cents.
-- A *_key column has a text as the domain folds it for comparison.
-- For SQLite, an index has all columns of a statement only if it has those of its own condition, too.

-- The currency of all amounts in this database, as ISO 4217: one row.
CREATE TABLE market_currency (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    code TEXT    NOT NULL
);

-- Books.

CREATE TABLE books (
    id             INTEGER PRIMARY KEY,
    seller_id      INTEGER NOT NULL,
    buyer_id       INTEGER NOT NULL DEFAULT 0,
    status         INTEGER NOT NULL, -- see domain/book
    name           TEXT    NOT NULL,
    course         TEXT    NOT NULL,
    edition        INTEGER NOT NULL,
    price          INTEGER NOT NULL,
    condition      INTEGER NOT NULL, -- see domain/book
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
-- Lists of books for sale, newest first: all, of a university, with an ISBN, of a course, with a title. The
-- first two filter by price and condition within the index, the third summarises the copies of a title. The
-- seller is in an index so that a list without one's own books skips them there: reading the row of each made
-- every list of a seller of thousands cost ten times as much.
CREATE INDEX books_newest ON books (id, price, condition, seller_id) WHERE status = 0;
CREATE INDEX books_university_newest ON books (university_key, id, price, condition, seller_id) WHERE status = 0;
CREATE INDEX books_isbn ON books (isbn, id, price, condition, university_key) WHERE status = 0 AND isbn <> '';
CREATE INDEX books_course ON books (course_key, id) WHERE status = 0;
CREATE INDEX books_title ON books (title_key, id) WHERE status = 0;
-- Lists of books for sale by price: all and of a university, with one range of the index for each condition; the
-- copies of a title; for a course.
CREATE INDEX books_cheapest ON books (condition, price, id DESC, seller_id) WHERE status = 0;
CREATE INDEX books_university_cheapest ON books (university_key, condition, price, id DESC, seller_id) WHERE status = 0;
CREATE INDEX books_isbn_price ON books (isbn, price, id DESC) WHERE status = 0 AND isbn <> '';
CREATE INDEX books_course_price ON books (course_key, price, id DESC) WHERE status = 0;
CREATE INDEX books_listed_at ON books (listed_at) WHERE status = 0; -- those listed long ago, for the preview of their expiry
CREATE INDEX books_isbn_others ON books (isbn, id) WHERE status <> 0 AND isbn <> ''; -- earlier posts with an ISBN
CREATE INDEX books_seller ON books (seller_id, id); -- a seller's books, newest first
-- The admins' lists by status: all, and of a university.
CREATE INDEX books_status ON books (status, id) WHERE status <> 0;
CREATE INDEX books_university_status ON books (university_key, status, id) WHERE status <> 0;
CREATE INDEX books_posted ON books (created_at, university_key); -- statistics by day, of all universities or of one

-- The photos of books. The pictures themselves are not in the database, see BLOB_URL.
CREATE TABLE photos (
    id         INTEGER PRIMARY KEY,
    book_id    INTEGER NOT NULL REFERENCES books (id),
    owner_id   INTEGER NOT NULL, -- the seller
    state      INTEGER NOT NULL, -- 0 pending, 1 shown, 2 removed
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, -- when it got its state
    -- The size and checksum of the stored pictures, see photo.Sum; 0: not known yet.
    large_sum  INTEGER NOT NULL DEFAULT 0,
    thumb_sum  INTEGER NOT NULL DEFAULT 0,
    CHECK (state = 0 OR state = 1 OR state = 2)
);
-- The photos of a book, which every list reads: the index has all that it needs.
CREATE INDEX photos_book ON photos (book_id, id, width, height, created_at) WHERE state = 1;
CREATE INDEX photos_owner ON photos (owner_id) WHERE state <> 2;                    -- the number of a seller's, and their removal
CREATE INDEX photos_swept ON photos (state, changed_at, id) WHERE state <> 1;       -- the sweep
CREATE INDEX photos_unmeasured ON photos (id) WHERE state = 1 AND large_sum = 0;    -- those that the sweep measures

-- The last CSV file of a person who lists many books on pages. A week after its creation it is
-- deleted, unless it is being posted.
CREATE TABLE imports (
    owner_id   INTEGER PRIMARY KEY,
    id         INTEGER NOT NULL,
    state      INTEGER NOT NULL, -- 0 checked, 1 running, 2 done, 3 cancelled
    accepted   INTEGER NOT NULL, -- valid lines
    posted     INTEGER NOT NULL,
    rejected   TEXT    NOT NULL, -- the first lines with errors, as JSON
    unnamed    INTEGER NOT NULL, -- further ones
    created_at INTEGER NOT NULL,
    CHECK (state = 0 OR state = 1 OR state = 2 OR state = 3)
);
CREATE INDEX imports_swept ON imports (created_at, owner_id) WHERE state <> 1; -- the sweep

-- The valid lines that are not posted yet.
CREATE TABLE import_lines (
    owner_id INTEGER NOT NULL,
    line     INTEGER NOT NULL,
    details  TEXT    NOT NULL, -- of the book, as JSON
    PRIMARY KEY (owner_id, line)
) WITHOUT ROWID;

-- Searching.

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

-- Searches whose owners are told of new books.
CREATE TABLE saved_searches (
    id         INTEGER PRIMARY KEY,
    owner_id   INTEGER NOT NULL,
    query      TEXT    NOT NULL,
    university TEXT    NOT NULL,
    course     TEXT    NOT NULL,
    condition  INTEGER NOT NULL, -- 0: any, as below
    min_price  INTEGER NOT NULL,
    max_price  INTEGER NOT NULL,
    mail       INTEGER NOT NULL, -- 1: mails what it finds
    created_at INTEGER NOT NULL,
    mailed_at  INTEGER NOT NULL,
    unmailed   INTEGER NOT NULL  -- books found since then
);
CREATE INDEX saved_searches_owner ON saved_searches (owner_id, id);                   -- a student's searches, newest first
CREATE INDEX saved_searches_due ON saved_searches (mailed_at, id) WHERE unmailed > 0; -- those to mail

-- The keys under which a new book finds searches, and the filters that most of them fail by.
CREATE TABLE saved_search_keys (
    key            TEXT    NOT NULL,
    search_id      INTEGER NOT NULL,
    owner_id       INTEGER NOT NULL,
    university_key TEXT    NOT NULL,
    course_key     TEXT    NOT NULL,
    condition      INTEGER NOT NULL,
    min_price      INTEGER NOT NULL,
    max_price      INTEGER NOT NULL,
    PRIMARY KEY (key, search_id)
) WITHOUT ROWID;
CREATE INDEX saved_search_keys_search ON saved_search_keys (search_id); -- the keys of a search

-- What a search has found: its owner is told of a book once. Deleted with the search, and when the
-- book is delivered.
CREATE TABLE saved_search_hits (
    search_id INTEGER NOT NULL,
    book_id   INTEGER NOT NULL,
    found_at  INTEGER NOT NULL,
    PRIMARY KEY (search_id, book_id)
) WITHOUT ROWID;
CREATE INDEX saved_search_hits_newest ON saved_search_hits (search_id, found_at, book_id); -- the mail
CREATE INDEX saved_search_hits_book ON saved_search_hits (book_id);                        -- the deletion with a book

-- Requests.

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
    key        TEXT    NOT NULL,
    request_id INTEGER NOT NULL,
    words      INTEGER NOT NULL, -- Bloom filter of the words that the book must have
    PRIMARY KEY (key, request_id)
) WITHOUT ROWID;
CREATE INDEX request_keys_request ON request_keys (request_id); -- the keys of a request

-- Books and the requests that they match.
CREATE TABLE matches (
    id         INTEGER PRIMARY KEY,
    book_id    INTEGER NOT NULL,
    request_id INTEGER NOT NULL,
    owner_id   INTEGER NOT NULL, -- of the request
    reason     TEXT    NOT NULL,
    holds      INTEGER NOT NULL, -- 0: no longer valid; the row remains so that the owner is not notified twice
    created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX matches_once ON matches (book_id, request_id);    -- decides whether a match is new
CREATE INDEX matches_request ON matches (request_id);                 -- the matches of a request
CREATE INDEX matches_owner ON matches (owner_id, id) WHERE holds = 1; -- a student's matches, newest first

-- Courses.

-- The lists of courses, one for each term of a university. The newest id of a university is its
-- present term.
CREATE TABLE course_lists (
    id             INTEGER PRIMARY KEY,
    university_key TEXT    NOT NULL,
    term_key       TEXT    NOT NULL,
    university     TEXT    NOT NULL,
    term           TEXT    NOT NULL,
    courses        INTEGER NOT NULL, -- how many it has
    books          INTEGER NOT NULL, -- of all courses
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL  -- when the courses were uploaded last
);
CREATE UNIQUE INDEX course_lists_term ON course_lists (university_key, term_key); -- the list of a term
CREATE INDEX course_lists_newest ON course_lists (university_key, id);            -- the terms of a university

CREATE TABLE courses (
    id       INTEGER PRIMARY KEY,
    list_id  INTEGER NOT NULL,
    place    INTEGER NOT NULL, -- 1, 2, 3, … in the order of the keys
    code_key TEXT    NOT NULL,
    code     TEXT    NOT NULL,
    title    TEXT    NOT NULL,
    words    TEXT    NOT NULL, -- folded, of the code and the title, with a space before each
    books    TEXT    NOT NULL  -- as JSON
);
CREATE UNIQUE INDEX courses_place ON courses (list_id, place);
CREATE UNIQUE INDEX courses_code ON courses (list_id, code_key);

-- The courses that people have chosen.
CREATE TABLE course_choices (
    owner_id  INTEGER NOT NULL,
    list_id   INTEGER NOT NULL,
    course_id INTEGER NOT NULL,
    chosen_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, list_id, course_id)
) WITHOUT ROWID;
CREATE INDEX course_choices_list ON course_choices (list_id, course_id); -- the deletion with a course

-- Buying.

CREATE TABLE carts (
    owner_id INTEGER NOT NULL,
    book_id  INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    price    INTEGER NOT NULL, -- that the owner knows
    PRIMARY KEY (owner_id, book_id)
) WITHOUT ROWID;
CREATE INDEX carts_book ON carts (book_id, owner_id); -- those to notify when a book is gone

-- What buyers offer below the price of a book.
CREATE TABLE offers (
    id          INTEGER PRIMARY KEY,
    book_id     INTEGER NOT NULL REFERENCES books (id),
    buyer_id    INTEGER NOT NULL,
    seller_id   INTEGER NOT NULL,
    price       INTEGER NOT NULL, -- of the buyer, or from 1 on of the seller
    text        TEXT    NOT NULL,
    state       INTEGER NOT NULL, -- 0 open, 1 countered, 2 accepted, 3 declined, 4 withdrawn, 5 ended
    created_at  INTEGER NOT NULL,
    answered_at INTEGER NOT NULL, -- 0: not yet
    valid_until INTEGER NOT NULL, -- 0: never accepted
    CHECK (buyer_id <> seller_id),
    CHECK (price > 0),
    CHECK (state BETWEEN 0 AND 5)
);
CREATE INDEX offers_book ON offers (book_id, buyer_id);           -- the bound of a buyer, and the price at a checkout
CREATE INDEX offers_live ON offers (book_id, id) WHERE state < 3; -- what ends with the sale
CREATE INDEX offers_buyer ON offers (buyer_id, id);               -- the lists, here and below
CREATE INDEX offers_buyer_state ON offers (buyer_id, state, id);
CREATE INDEX offers_seller ON offers (seller_id, id);
CREATE INDEX offers_seller_state ON offers (seller_id, state, id);

CREATE TABLE orders (
    id             INTEGER PRIMARY KEY,
    book_id        INTEGER NOT NULL REFERENCES books (id),
    -- The book as it was when it was sold.
    name           TEXT    NOT NULL,
    name_key       TEXT    NOT NULL,
    course         TEXT    NOT NULL,
    course_key     TEXT    NOT NULL,
    isbn           TEXT    NOT NULL DEFAULT '',
    waited         INTEGER NOT NULL, -- from listing to sale
    buyer_id       INTEGER NOT NULL,
    seller_id      INTEGER NOT NULL,
    price          INTEGER NOT NULL,
    fee            INTEGER NOT NULL,
    status         INTEGER NOT NULL, -- the status of the book, or -1: cancelled
    reason         TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    verified_at    INTEGER NOT NULL,
    delivered_at   INTEGER NOT NULL,
    cancelled_at   INTEGER NOT NULL,
    verified_by    INTEGER NOT NULL, -- 0: nobody, as below
    delivered_by   INTEGER NOT NULL,
    cancelled_by   INTEGER NOT NULL,
    -- The university at which the book was sold: its admins look after the order.
    university     TEXT    NOT NULL DEFAULT '',
    university_key TEXT    NOT NULL DEFAULT '',
    -- How the book was handed over, who settles the order, and when its people were reminded. See
    -- domain/order for the numbers.
    handover       INTEGER NOT NULL DEFAULT 0, -- 0 not yet, 1 at the desk, 2 at a meeting
    handed_over_at INTEGER NOT NULL DEFAULT 0,
    settlement     INTEGER NOT NULL DEFAULT 0, -- 0 by the operator, 1 by the buyer
    reminded_at    INTEGER NOT NULL DEFAULT 0,
    CHECK (status = 1 OR status = 2 OR status = 3 OR status = -1),
    CHECK (buyer_id <> seller_id)
);
CREATE UNIQUE INDEX orders_live ON orders (book_id) WHERE status > 0; -- a book has one order that is not cancelled
CREATE INDEX orders_cancelled ON orders (book_id) WHERE status = -1;  -- the others, for a book's history
-- A student's orders, newest first: in every status, and in one with what they sum up to.
CREATE INDEX orders_of_buyer ON orders (buyer_id, id);
CREATE INDEX orders_of_seller ON orders (seller_id, id);
CREATE INDEX orders_of_buyer_in_status ON orders (buyer_id, status, id, price, fee);
CREATE INDEX orders_of_seller_in_status ON orders (seller_id, status, id, price);
CREATE INDEX orders_withdrawn ON orders (seller_id, cancelled_by) WHERE status = -1; -- the sales that a seller has cancelled
-- The admins' lists: all by status; those of a university, and in a status.
CREATE INDEX orders_status ON orders (status, id);
CREATE INDEX orders_university ON orders (university_key, id);
CREATE INDEX orders_university_status ON orders (university_key, status, id);
-- Those that wait for their books: at the desk, or to be settled without one; those that will lapse; those to settle.
CREATE INDEX orders_to_check ON orders (id) WHERE status = 1 AND handover = 0;
CREATE INDEX orders_waiting ON orders (reminded_at, created_at, id) WHERE status = 1 AND handover = 0;
CREATE INDEX orders_to_settle ON orders (id) WHERE status = 1 AND handover <> 0;
-- Price hints: the last delivered sales with an ISBN, of a course, with a title. The first two have the prices and
-- both sides, because a third of the page of a book was the reading of hundreds of rows.
CREATE INDEX orders_isbn_sold ON orders (isbn, delivered_at, id, price, buyer_id, seller_id) WHERE status = 3 AND isbn <> '';
CREATE INDEX orders_course_sold ON orders (course_key, delivered_at, id, price, buyer_id, seller_id) WHERE status = 3;
CREATE INDEX orders_name_delivered ON orders (name_key, delivered_at, id) WHERE status = 3;
-- Statistics, of all universities or of one, see docs/adr/0048: sales by day; the money by day, see
-- guarding_statistics_days.go; the median of what sales have waited for; the sales of each course with their spellings.
CREATE INDEX orders_sold ON orders (created_at, university_key, status) WHERE status > 0;
CREATE INDEX orders_charged ON orders (verified_at, university_key, price, fee) WHERE verified_at <> 0;
CREATE INDEX orders_refunded ON orders (cancelled_at, university_key, price, fee, verified_at) WHERE verified_at <> 0 AND cancelled_at <> 0;
CREATE INDEX orders_paid_directly ON orders (delivered_at, university_key, price, verified_at) WHERE verified_at = 0 AND delivered_at <> 0;
CREATE INDEX orders_by_wait ON orders (waited, university_key, status) WHERE status > 0;
CREATE INDEX orders_by_course ON orders (course_key, course, university_key, status) WHERE status > 0;

-- An admin's search for a part of a title reads this index of parts of three characters in place of all
-- orders, as user_search of the auth service does for people.
CREATE VIRTUAL TABLE order_search USING fts5(title, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
-- +goose StatementBegin
CREATE TRIGGER orders_indexed AFTER INSERT ON orders BEGIN
    INSERT INTO order_search (rowid, title) VALUES (NEW.id, NEW.name_key);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_reindexed AFTER UPDATE OF name_key ON orders WHEN OLD.name_key <> NEW.name_key BEGIN
    DELETE FROM order_search WHERE rowid = OLD.id;
    INSERT INTO order_search (rowid, title) VALUES (NEW.id, NEW.name_key);
END;
-- +goose StatementEnd

-- Each movement has at most one entry for each account of an order. The numbers are
-- defined in domain/order.
CREATE TABLE ledger (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    movement INTEGER NOT NULL CHECK (movement BETWEEN 1 AND 5),
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
CREATE TABLE idempotency_keys (
    owner_id    INTEGER NOT NULL,
    key         TEXT    NOT NULL,
    body_hash   BLOB    NOT NULL,
    refusal     TEXT    NOT NULL,
    created     TEXT    NOT NULL, -- ids of what the request made, as JSON
    books       TEXT    NOT NULL, -- ids that the response names, as JSON
    total       INTEGER NOT NULL, -- of a checkout at another price
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (owner_id, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at); -- the sweep

-- What the two sides of a delivered order say about it.
CREATE TABLE ratings (
    order_id     INTEGER NOT NULL REFERENCES orders (id),
    by_id        INTEGER NOT NULL,
    of_id        INTEGER NOT NULL, -- the other side
    as_described INTEGER NOT NULL, -- 0 or 1
    text         TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (order_id, by_id),
    CHECK (as_described IN (0, 1)),
    CHECK (by_id <> of_id)
);
-- The ratings of a person, newest first: of a seller with thousands of sales, the newest are counted.
CREATE INDEX ratings_newest ON ratings (of_id, order_id DESC, by_id, as_described);
CREATE INDEX ratings_by ON ratings (by_id, order_id); -- those that a person has given

-- Handing over.

-- Where and when books are handed in and picked up: one desk a university.
CREATE TABLE desks (
    university_key TEXT    PRIMARY KEY,
    university     TEXT    NOT NULL,
    place          TEXT    NOT NULL,
    hours          TEXT    NOT NULL,
    notes          TEXT    NOT NULL,
    updated_at     INTEGER NOT NULL
);

-- Where people of a university meet.
CREATE TABLE meeting_places (
    id             INTEGER PRIMARY KEY,
    university_key TEXT    NOT NULL,
    university     TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    directions     TEXT    NOT NULL,
    hours          TEXT    NOT NULL,
    updated_at     INTEGER NOT NULL
);
CREATE INDEX meeting_places_university ON meeting_places (university_key);

-- The proposals of the two sides of an order, with the place as it was.
CREATE TABLE meetings (
    id          INTEGER PRIMARY KEY,
    order_id    INTEGER NOT NULL REFERENCES orders (id),
    by_id       INTEGER NOT NULL,
    university  TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    directions  TEXT    NOT NULL,
    hours       TEXT    NOT NULL,
    meet_at     INTEGER NOT NULL,
    state       INTEGER NOT NULL, -- 0 proposed, 1 accepted, 2 superseded, 3 ended
    created_at  INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL, -- 0: not accepted
    CHECK (state BETWEEN 0 AND 3)
);
CREATE UNIQUE INDEX meetings_open ON meetings (order_id) WHERE state < 2;
CREATE INDEX meetings_order ON meetings (order_id, by_id); -- the bound of one side
CREATE INDEX meetings_by ON meetings (by_id, id);          -- the export, and the erasure

-- The wrong codes that the seller of an order has typed.
CREATE TABLE handover_tries (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    n        INTEGER NOT NULL, -- from 1, without gaps
    tried_at INTEGER NOT NULL,
    PRIMARY KEY (order_id, n)
) WITHOUT ROWID;

-- Talking.

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
CREATE INDEX messages_from ON messages (from_id, id); -- the export, and the erasure
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

CREATE TABLE notifications (
    user_id         INTEGER NOT NULL,
    id              INTEGER NOT NULL, -- 1, 2, 3, … for each user
    kind            TEXT    NOT NULL,
    message         TEXT    NOT NULL,
    book_id         INTEGER NOT NULL,
    order_id        INTEGER NOT NULL, -- 0: none, as below
    created_at      INTEGER NOT NULL,
    read_at         INTEGER NOT NULL DEFAULT 0,
    conversation_id INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX notifications_conversation ON notifications (user_id, conversation_id) WHERE conversation_id <> 0 AND read_at = 0;
-- Unread notifications need no index: a user has at most 1,100 notifications, stored together, so
-- counting scans them.

-- The last number of each user, locked until the commit, so that the notifications of a user
-- commit in the order of their numbers.
CREATE TABLE notification_counters (
    user_id INTEGER PRIMARY KEY,
    last_id INTEGER NOT NULL -- -1: the account is deleted
);

-- The mails of a kind that anybody can cause to a person: when the last were sent, and what
-- waits for the next one.
CREATE TABLE mail_digests (
    user_id INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    sent    TEXT    NOT NULL, -- the last times, as JSON
    items   TEXT    NOT NULL, -- the first that wait, as JSON
    more    INTEGER NOT NULL, -- how many others wait
    wake_at INTEGER NOT NULL, -- when to mail or delete it
    PRIMARY KEY (user_id, kind)
) WITHOUT ROWID;
CREATE INDEX mail_digests_due ON mail_digests (wake_at);

-- Guarding.

-- What people reported, and what admins decided.
CREATE TABLE reports (
    id          INTEGER PRIMARY KEY,
    reporter_id INTEGER NOT NULL,
    target_kind INTEGER NOT NULL, -- 1 book, 2 person, 3 conversation
    target_id   INTEGER NOT NULL,
    about_id    INTEGER NOT NULL, -- who is responsible for the target
    reason      TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    seen        TEXT    NOT NULL, -- the target at the time of the report, JSON
    hid         INTEGER NOT NULL, -- 1: it has taken the book off sale
    created_at  INTEGER NOT NULL,
    action      TEXT    NOT NULL, -- empty while it is open
    note        TEXT    NOT NULL,
    resolved_by INTEGER NOT NULL,
    resolved_at INTEGER NOT NULL, -- 0 while it is open
    -- The university of the book when it was reported, otherwise that of the person: its admins look after
    -- the report.
    university  TEXT    NOT NULL DEFAULT '',
    order_id    INTEGER NOT NULL DEFAULT 0, -- of the two, because of which a person is reported; 0: none
    CHECK (target_kind IN (1, 2, 3)),
    CHECK ((action = '') = (resolved_at = 0))
);
-- One open report a person; the open ones about a target.
CREATE UNIQUE INDEX reports_once ON reports (target_kind, target_id, reporter_id) WHERE resolved_at = 0;
CREATE INDEX reports_open ON reports (id) WHERE resolved_at = 0;                   -- the queue
CREATE INDEX reports_resolved ON reports (resolved_at, id) WHERE resolved_at <> 0; -- the last decisions, and the sweep
CREATE INDEX reports_about ON reports (about_id, id);                              -- those about a person
CREATE INDEX reports_reporter ON reports (reporter_id, id);                        -- those of a reporter
-- Those about a person that an admin has upheld: they hide how others rated the person.
CREATE INDEX reports_upheld ON reports (about_id, resolved_at) WHERE action NOT IN ('', 'dismiss');
-- The lists of a university's admins; the universities that look after a book, and after a person.
CREATE INDEX reports_university ON reports (university, resolved_at, id);
CREATE INDEX reports_target ON reports (target_kind, target_id);
CREATE INDEX reports_about_university ON reports (about_id, university);

-- What each person has used of each quota in its current period.
CREATE TABLE quota_uses (
    user_id INTEGER NOT NULL,
    quota   TEXT    NOT NULL,
    since   INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (user_id, quota)
);
