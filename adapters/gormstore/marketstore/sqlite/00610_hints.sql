-- +goose Up
-- The indexes of delivered sales have the prices and both sides, so that a price hint reads its
-- hundreds of sales from an index alone: a third of the page of a book was the reading of their rows.
CREATE INDEX orders_isbn_sold ON orders (isbn, delivered_at, id, price, buyer_id, seller_id) WHERE status = 3 AND isbn <> '';
CREATE INDEX orders_course_sold ON orders (course_key, delivered_at, id, price, buyer_id, seller_id) WHERE status = 3;
DROP INDEX orders_isbn_delivered;
DROP INDEX orders_course_delivered;
