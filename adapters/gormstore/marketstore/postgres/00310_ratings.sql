-- +goose Up
-- What the two sides of a delivered order say about it.
CREATE TABLE ratings (
    order_id     BIGINT  NOT NULL REFERENCES orders (id),
    by_id        BIGINT  NOT NULL,
    of_id        BIGINT  NOT NULL, -- the other side
    as_described INTEGER NOT NULL, -- 0 or 1
    text         TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL,
    PRIMARY KEY (order_id, by_id),
    CHECK (as_described IN (0, 1)),
    CHECK (by_id <> of_id)
);
CREATE INDEX ratings_of ON ratings (of_id, by_id, order_id, as_described); -- the count of a person
CREATE INDEX ratings_by ON ratings (by_id, order_id);                      -- those that a person has given
