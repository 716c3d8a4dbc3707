-- +goose Up
-- Only the program knows the terms of a book or a request. No release had a schema before this one, so a
-- database that has any is refused instead of being indexed anew.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM books) OR EXISTS (SELECT 1 FROM requests) THEN
        RAISE EXCEPTION 'this database was made by a development version: delete it and start anew';
    END IF;
END $$;
-- +goose StatementEnd

-- Books for sale are listed by age, by condition and price, or by a key. Prices and
-- conditions beside the id narrow a list by age.
DROP INDEX books_listed;
DROP INDEX books_university;
DROP INDEX books_price;
DROP INDEX books_cheapest;
DROP INDEX books_university_price;
DROP INDEX books_grade_price;
DROP INDEX books_university_grade;
CREATE INDEX books_listed ON books (id, price, grade) WHERE status = 0;
CREATE INDEX books_university ON books (university_key, id, price, grade) WHERE status = 0;
CREATE INDEX books_grade_price ON books (grade, price, id DESC) WHERE status = 0;
CREATE INDEX books_university_grade_price ON books (university_key, grade, price, id DESC) WHERE status = 0;
