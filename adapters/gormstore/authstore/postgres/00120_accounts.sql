-- +goose Up
-- Changes of addresses. Those that were confirmed can be undone for a while; nobody else
-- gets the old address then. They stay longer, so that the deletion of the account erases
-- the mails to the old address, too.
CREATE TABLE email_changes (
    id            BIGINT PRIMARY KEY,
    user_id       BIGINT NOT NULL REFERENCES users (id),
    old_email     TEXT NOT NULL,
    new_email     TEXT NOT NULL,
    password_mark BYTEA NOT NULL, -- digest of the password's hash then
    requested_at  BIGINT NOT NULL,
    confirmed_at  BIGINT,        -- NULL before the code was entered
    forget_at     BIGINT NOT NULL
);
CREATE INDEX email_changes_user ON email_changes (user_id, id);
CREATE INDEX email_changes_old ON email_changes (old_email);
CREATE INDEX email_changes_forget ON email_changes (forget_at); -- the sweep
