-- +goose Up
-- The books for sale for a course, by price.
CREATE INDEX books_course_price ON books (course_key, price, id DESC) WHERE status = 0;
