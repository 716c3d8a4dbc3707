-- +goose Up
-- The photos of books. The pictures themselves are not in the database, see BLOB_URL.
CREATE TABLE photos (
    id         BIGINT  PRIMARY KEY,
    book_id    BIGINT  NOT NULL REFERENCES books (id),
    owner_id   BIGINT  NOT NULL, -- the seller
    state      INTEGER NOT NULL, -- 0 pending, 1 shown, 2 removed
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    created_at BIGINT  NOT NULL,
    changed_at BIGINT  NOT NULL, -- when it got its state
    CHECK (state IN (0, 1, 2))
);
-- The photos of a book, which every list reads: the index has all that it needs.
CREATE INDEX photos_book ON photos (book_id, id, width, height, created_at) WHERE state = 1;
CREATE INDEX photos_owner ON photos (owner_id) WHERE state <> 2;              -- the number of a seller's, and their removal
CREATE INDEX photos_swept ON photos (state, changed_at, id) WHERE state <> 1; -- the sweep
