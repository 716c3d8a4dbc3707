-- +goose Up
-- A person's orders are listed in every status, cancelled ones among them.
CREATE INDEX orders_of_buyer ON orders (buyer_id, id);
CREATE INDEX orders_of_seller ON orders (seller_id, id);
DROP INDEX orders_buyer;
DROP INDEX orders_seller;

-- +goose Down
CREATE INDEX orders_buyer ON orders (buyer_id, id) WHERE status > 0;
CREATE INDEX orders_seller ON orders (seller_id, id) WHERE status > 0;
DROP INDEX orders_of_seller;
DROP INDEX orders_of_buyer;
