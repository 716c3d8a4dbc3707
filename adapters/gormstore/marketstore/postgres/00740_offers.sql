-- +goose Up
-- What buyers offer below the price of a book.
CREATE TABLE offers (
    id          BIGINT  PRIMARY KEY,
    book_id     BIGINT  NOT NULL REFERENCES books (id),
    buyer_id    BIGINT  NOT NULL,
    seller_id   BIGINT  NOT NULL,
    price       BIGINT  NOT NULL, -- of the buyer, or from 1 on of the seller
    text        TEXT    NOT NULL,
    state       INTEGER NOT NULL, -- 0 open, 1 countered, 2 accepted, 3 declined, 4 withdrawn, 5 ended
    created_at  BIGINT  NOT NULL,
    answered_at BIGINT  NOT NULL, -- 0: not yet
    valid_until BIGINT  NOT NULL, -- 0: never accepted
    CHECK (buyer_id <> seller_id),
    CHECK (price > 0),
    CHECK (state BETWEEN 0 AND 5)
);
CREATE INDEX offers_book ON offers (book_id, buyer_id);            -- the bound of a buyer, and the price at a checkout
CREATE INDEX offers_live ON offers (book_id, id) WHERE state < 3; -- what ends with the sale
CREATE INDEX offers_buyer ON offers (buyer_id, id);                -- the lists, here and below
CREATE INDEX offers_buyer_state ON offers (buyer_id, state, id);
CREATE INDEX offers_seller ON offers (seller_id, id);
CREATE INDEX offers_seller_state ON offers (seller_id, state, id);
