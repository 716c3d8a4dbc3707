-- +goose Up
-- Searches whose owners are told of new books.
CREATE TABLE saved_searches (
    id         INTEGER PRIMARY KEY,
    owner_id   INTEGER NOT NULL,
    query      TEXT NOT NULL,
    university TEXT NOT NULL,
    course     TEXT NOT NULL,
    grade      INTEGER NOT NULL, -- the condition; 0: any, as below
    min_price  INTEGER NOT NULL,
    max_price  INTEGER NOT NULL,
    mail       INTEGER NOT NULL, -- 1: mails what it finds
    created_at INTEGER NOT NULL,
    mailed_at  INTEGER NOT NULL,
    unmailed   INTEGER NOT NULL  -- books found since then
);
CREATE INDEX saved_searches_owner ON saved_searches (owner_id, id);                     -- a student's searches, newest first
CREATE INDEX saved_searches_due ON saved_searches (mailed_at, id) WHERE unmailed > 0; -- those to mail

-- The keys under which a new book finds searches, and the filters that most of them fail by.
CREATE TABLE saved_search_keys (
    key            TEXT NOT NULL,
    search_id      INTEGER NOT NULL,
    owner_id       INTEGER NOT NULL,
    university_key TEXT NOT NULL,
    course_key     TEXT NOT NULL,
    grade          INTEGER NOT NULL,
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
