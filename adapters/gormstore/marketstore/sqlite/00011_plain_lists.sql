-- +goose Up
-- Only the program knows the terms of a book or a request. No release had a schema before this one, so a
-- database that has any is refused instead of being indexed anew.
CREATE TABLE old_books (
    n INTEGER CONSTRAINT "this database was made by a development version: delete it and start anew" CHECK (n = 0)
);
INSERT INTO old_books SELECT (SELECT count(*) FROM books) + (SELECT count(*) FROM requests);
DROP TABLE old_books;

-- Books for sale are listed by age, by condition and price, or by a key. Prices and
-- conditions beside the id narrow a list by age.
DROP TABLE prices;
DROP TABLE book_search_progress;
DROP INDEX books_listed;
DROP INDEX books_university;
CREATE INDEX books_listed ON books (id, price, grade) WHERE status = 0;
CREATE INDEX books_university ON books (university_key, id, price, grade) WHERE status = 0;
CREATE INDEX books_grade_price ON books (grade, price, id DESC) WHERE status = 0;
CREATE INDEX books_university_grade_price ON books (university_key, grade, price, id DESC) WHERE status = 0;
CREATE INDEX books_course ON books (course_key, id) WHERE status = 0;
CREATE INDEX books_title ON books (title_key, id) WHERE status = 0;

-- The full-text index has a book's words and, with an underscore, its university, its
-- condition and the step of its price.
DROP TABLE book_search;
CREATE VIRTUAL TABLE book_search USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
-- A search asks every segment: two of a size are merged, not four.
INSERT INTO book_search (book_search, rank) VALUES ('automerge', 2);
