-- +goose Up
-- Who is deleted is erased from what was sent to them, without looking at all of it.
-- What waits is found by outbox_turn and outbox_due: to add it here would cost each
-- message that is put in.
CREATE INDEX outbox_recipient ON outbox (recipient) WHERE state <> 0;

-- +goose Down
DROP INDEX outbox_recipient;
