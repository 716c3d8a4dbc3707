-- +goose Up
-- A person's notices lie side by side and are 1,100 at most, so those that are unread
-- are counted among them. An index of these was a tenth of the pages that a commit of
-- posts wrote.
DROP INDEX notices_unread;

-- +goose Down
CREATE INDEX notices_unread ON notices (user_id) WHERE read_at = 0;
