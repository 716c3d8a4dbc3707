-- +goose Up
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
    CHECK (state = 0 OR state = 1 OR state = 2)
);
-- The photos of a book, which every list reads: the index has all that it needs.
CREATE INDEX photos_book ON photos (book_id, id, width, height, created_at) WHERE state = 1;
CREATE INDEX photos_owner ON photos (owner_id) WHERE state <> 2;              -- the number of a seller's, and their removal
CREATE INDEX photos_swept ON photos (state, changed_at, id) WHERE state <> 1; -- the sweep
