-- +goose Up
-- What a price hint reads of sales, now with how long each book waited for its buyer.
DROP INDEX orders_isbn_sold;
DROP INDEX orders_course_sold;
CREATE INDEX orders_isbn_sold ON orders (isbn, delivered_at, id, price, buyer_id, seller_id, waited) WHERE status = 3 AND isbn <> '';
CREATE INDEX orders_course_sold ON orders (course_key, delivered_at, id, price, buyer_id, seller_id, waited) WHERE status = 3;
