-- +goose NO TRANSACTION
-- +goose Up
-- A person's orders are listed in every status, cancelled ones among them. A step
-- that was broken off leaves an index that is not valid: it is made anew.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_of_buyer;
CREATE INDEX CONCURRENTLY orders_of_buyer ON orders (buyer_id, id);
DROP INDEX CONCURRENTLY IF EXISTS orders_of_seller;
CREATE INDEX CONCURRENTLY orders_of_seller ON orders (seller_id, id);
DROP INDEX CONCURRENTLY IF EXISTS orders_buyer;
DROP INDEX CONCURRENTLY IF EXISTS orders_seller;
RESET statement_timeout;

-- +goose Down
CREATE INDEX orders_buyer ON orders (buyer_id, id) WHERE status > 0;
CREATE INDEX orders_seller ON orders (seller_id, id) WHERE status > 0;
DROP INDEX orders_of_seller;
DROP INDEX orders_of_buyer;
