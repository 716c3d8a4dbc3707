-- +goose Up
-- The queue of orders to check. Those that are settled without a desk are placed, too.
CREATE INDEX orders_to_check ON orders (id) WHERE status = 1 AND handover = 0;
