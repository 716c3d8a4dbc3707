-- +goose Up
-- The ratings of a person, newest first: of a seller with thousands of sales, the newest are counted.
CREATE INDEX ratings_newest ON ratings (of_id, order_id DESC, by_id, as_described);
DROP INDEX ratings_of;
