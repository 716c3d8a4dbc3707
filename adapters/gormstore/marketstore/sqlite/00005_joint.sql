-- +goose Up
-- Beside a book's terms and marks, its entry holds one for each two of them. The
-- program writes the entries anew: those of the books from 0 to upto are written,
-- all if there is no row.
DROP TABLE book_search;
CREATE VIRTUAL TABLE book_search USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
CREATE TABLE book_search_progress (
    upto INTEGER NOT NULL
);
INSERT INTO book_search_progress (upto) VALUES (0);

-- +goose Down
DROP TABLE book_search_progress;
