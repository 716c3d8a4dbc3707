-- +goose NO TRANSACTION
-- +goose Up
-- The ratings of a person, newest first: of a seller with thousands of sales, the newest are counted.
-- The index is built beside the sales, as in 00530.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS ratings_newest;
CREATE INDEX CONCURRENTLY ratings_newest ON ratings (of_id, order_id DESC, by_id, as_described);
DROP INDEX CONCURRENTLY IF EXISTS ratings_of;
RESET statement_timeout;
