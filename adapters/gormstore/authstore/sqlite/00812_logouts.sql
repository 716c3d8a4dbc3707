-- +goose Up
-- The session of Octavo in which the session of a client was begun; 0: none, or it is older than this column.
ALTER TABLE sessions ADD COLUMN parent INTEGER NOT NULL DEFAULT 0;

-- The sign-ins at applications. They hear of the end of a sign-in, also long after its session here has expired.
CREATE TABLE client_signins (
    session_id INTEGER PRIMARY KEY, -- of the client: the claim sid
    user_id    INTEGER NOT NULL REFERENCES users (id),
    parent     INTEGER NOT NULL,
    client     TEXT NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX client_signins_of_user ON client_signins (user_id, parent);
CREATE INDEX client_signins_expired ON client_signins (expires_at);

-- Sessions that were begun at another service, which may end them.
CREATE TABLE service_signins (
    session_id INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    service    TEXT NOT NULL,
    subject    TEXT NOT NULL,
    sid        TEXT NOT NULL, -- as the service calls its session; may be empty
    expires_at INTEGER NOT NULL
);
CREATE INDEX service_signins_of_subject ON service_signins (service, subject);
CREATE INDEX service_signins_of_sid ON service_signins (service, sid) WHERE sid <> '';
CREATE INDEX service_signins_of_user ON service_signins (user_id);
CREATE INDEX service_signins_expired ON service_signins (expires_at);
