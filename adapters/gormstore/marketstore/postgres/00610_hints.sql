-- +goose NO TRANSACTION
-- +goose Up
-- The indexes of delivered sales have the prices and both sides, so that a price hint reads its
-- hundreds of sales from an index alone: a third of the page of a book was the reading of their rows.
-- Others write in the meantime, and all statements can be repeated: an index that was not completed is
-- built anew.
SET statement_timeout = 0; -- a large index may take longer to build than a statement may
DROP INDEX CONCURRENTLY IF EXISTS orders_isbn_sold;
CREATE INDEX CONCURRENTLY orders_isbn_sold ON orders (isbn, delivered_at, id, price, buyer_id, seller_id) WHERE status = 3 AND isbn <> '';
DROP INDEX CONCURRENTLY IF EXISTS orders_course_sold;
CREATE INDEX CONCURRENTLY orders_course_sold ON orders (course_key, delivered_at, id, price, buyer_id, seller_id) WHERE status = 3;
DROP INDEX CONCURRENTLY IF EXISTS orders_isbn_delivered;
DROP INDEX CONCURRENTLY IF EXISTS orders_course_delivered;

RESET statement_timeout;
