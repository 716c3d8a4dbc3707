-- +goose NO TRANSACTION
-- +goose Up
-- The books for sale for a course, by price. It is built beside the sales, as in 00530.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_course_price;
CREATE INDEX CONCURRENTLY books_course_price ON books (course_key, price, id DESC) WHERE status = 0;
RESET statement_timeout;
