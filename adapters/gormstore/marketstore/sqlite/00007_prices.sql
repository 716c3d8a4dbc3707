-- +goose Up
-- Lists by price and of a course are read from book_search, whose entries the program
-- writes anew: beside 00005_joint, a book's course, its exact price, and these together
-- with its other marks. Of what there is to look for, these are the prices; a price stays
-- when nothing is sold for it any more.
DROP INDEX books_price;
DROP INDEX books_university_price;
DROP INDEX books_course;
CREATE TABLE prices (
    price INTEGER PRIMARY KEY
);
INSERT INTO prices (price) SELECT DISTINCT price FROM books WHERE status = 0;
DROP TABLE book_search;
CREATE VIRTUAL TABLE book_search USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
DELETE FROM book_search_progress;
INSERT INTO book_search_progress (upto) VALUES (0);

-- +goose Down
DROP TABLE prices;
CREATE INDEX books_course ON books (course_key, id, price, grade, seller_id) WHERE status = 0;
CREATE INDEX books_university_price ON books (university_key, price, id DESC) WHERE status = 0;
CREATE INDEX books_price ON books (price, id DESC) WHERE status = 0;
