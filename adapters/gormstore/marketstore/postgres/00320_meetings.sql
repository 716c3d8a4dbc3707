-- +goose Up
-- Where people of a university meet.
CREATE TABLE meeting_places (
    id             BIGINT  PRIMARY KEY,
    university_key TEXT    NOT NULL,
    university     TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    directions     TEXT    NOT NULL,
    hours          TEXT    NOT NULL,
    updated_at     BIGINT  NOT NULL
);
CREATE INDEX meeting_places_university ON meeting_places (university_key);

-- The proposals of the two sides of an order, with the place as it was.
CREATE TABLE meetings (
    id          BIGINT  PRIMARY KEY,
    order_id    BIGINT  NOT NULL REFERENCES orders (id),
    by_id       BIGINT  NOT NULL,
    university  TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    directions  TEXT    NOT NULL,
    hours       TEXT    NOT NULL,
    meet_at     BIGINT  NOT NULL,
    state       INTEGER NOT NULL, -- 0 proposed, 1 accepted, 2 superseded, 3 ended
    created_at  BIGINT  NOT NULL,
    accepted_at BIGINT  NOT NULL, -- 0: not accepted
    CHECK (state BETWEEN 0 AND 3)
);
CREATE UNIQUE INDEX meetings_open ON meetings (order_id) WHERE state < 2;
CREATE INDEX meetings_order ON meetings (order_id, by_id); -- the bound of one side
CREATE INDEX meetings_by ON meetings (by_id, id);          -- the export, and the erasure

-- The wrong codes that the seller of an order has typed.
CREATE TABLE handover_tries (
    order_id BIGINT  NOT NULL REFERENCES orders (id),
    n        INTEGER NOT NULL, -- from 1, without gaps
    tried_at BIGINT  NOT NULL,
    PRIMARY KEY (order_id, n)
);
