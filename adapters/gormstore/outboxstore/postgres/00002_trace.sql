-- +goose Up
-- What caused the message, as a W3C traceparent.
ALTER TABLE outbox ADD COLUMN traceparent TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE outbox DROP COLUMN traceparent;
