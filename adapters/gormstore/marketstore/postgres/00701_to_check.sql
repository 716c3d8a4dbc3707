-- +goose NO TRANSACTION
-- +goose Up
-- The queue of orders to check. Those that are settled without a desk are placed, too. Without the index, Postgres
-- sorted all that wait. It is built beside the sales, as in 00530.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_to_check;
CREATE INDEX CONCURRENTLY orders_to_check ON orders (id) WHERE status = 1 AND handover = 0;
RESET statement_timeout;
