-- +goose Up
-- Sign-ups that a mail was sent for stay when others crowd in. Of those from before
-- it is not known.
ALTER TABLE signups ADD COLUMN mailed INTEGER NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE signups DROP COLUMN mailed;
