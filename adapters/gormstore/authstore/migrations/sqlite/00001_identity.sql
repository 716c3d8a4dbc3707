-- +goose Up
-- Times are Unix microseconds. Deleted people keep their row, because orders and
-- the ledger refer to it; address, password and profile are erased.
CREATE TABLE users (
    id               INTEGER PRIMARY KEY,
    email            TEXT UNIQUE,
    password_hash    TEXT NOT NULL DEFAULT '',
    role             INTEGER NOT NULL DEFAULT 0,
    lang             TEXT NOT NULL DEFAULT 'en',
    verified         INTEGER NOT NULL DEFAULT 0,
    epoch            BIGINT NOT NULL DEFAULT 0,
    created_at       BIGINT NOT NULL,
    deleted_at       BIGINT,
    first_name       TEXT,
    last_name        TEXT,
    university       TEXT,
    campus_mailbox   TEXT,
    payment_username TEXT,
    CHECK (role IN (0, 1, 2)),
    CHECK (verified IN (0, 1)),
    CHECK ((email IS NULL) = (deleted_at IS NOT NULL))
);
CREATE INDEX users_owners ON users (id) WHERE role = 2;

-- A sign-up stands for itself until one of its address is confirmed.
CREATE TABLE signups (
    id               INTEGER PRIMARY KEY,
    email            TEXT NOT NULL,
    password_hash    TEXT NOT NULL,
    mark             BLOB NOT NULL,
    contested        INTEGER NOT NULL DEFAULT 0,
    lang             TEXT NOT NULL,
    created_at       BIGINT NOT NULL,
    expires_at       BIGINT NOT NULL,
    first_name       TEXT,
    last_name        TEXT,
    university       TEXT,
    campus_mailbox   TEXT,
    payment_username TEXT
);
CREATE INDEX signups_email ON signups (email, id);
CREATE INDEX signups_expiry ON signups (expires_at);

-- One secret at most is alive for a purpose, an address and a subject.
CREATE TABLE challenges (
    purpose    TEXT NOT NULL,
    email      TEXT NOT NULL,
    subject    BIGINT NOT NULL,
    digest     BLOB NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT,
    PRIMARY KEY (purpose, email, subject)
);
CREATE UNIQUE INDEX challenges_digest ON challenges (digest);
CREATE INDEX challenges_expiry ON challenges (expires_at);

CREATE TABLE invitations (
    id          INTEGER PRIMARY KEY,
    user_id     BIGINT NOT NULL REFERENCES users (id),
    email       TEXT NOT NULL,
    invited_by  BIGINT NOT NULL REFERENCES users (id),
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    accepted_at BIGINT,
    revoked_at  BIGINT
);
CREATE UNIQUE INDEX invitations_open ON invitations (user_id) WHERE accepted_at IS NULL AND revoked_at IS NULL;

CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    epoch      BIGINT NOT NULL,
    secret     BLOB NOT NULL,
    half       BLOB NOT NULL,
    n          BIGINT NOT NULL DEFAULT 0,
    seen_n     BIGINT NOT NULL DEFAULT 0,
    rotated_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen  BIGINT NOT NULL,
    idle       BIGINT NOT NULL,
    until      BIGINT NOT NULL,
    ended_at   BIGINT,
    ip         TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    browser    TEXT NOT NULL,
    os         TEXT NOT NULL,
    device     TEXT NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id, last_seen) WHERE ended_at IS NULL;

-- The browsers and systems that an account has been signed in from.
CREATE TABLE known_devices (
    user_id    BIGINT NOT NULL REFERENCES users (id),
    device     TEXT NOT NULL,
    first_seen BIGINT NOT NULL,
    PRIMARY KEY (user_id, device)
);

CREATE TABLE limits (
    name    TEXT PRIMARY KEY,
    tat     BIGINT NOT NULL,
    strikes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX limits_tat ON limits (tat);

CREATE TABLE audit_entries (
    id     INTEGER PRIMARY KEY,
    at     BIGINT NOT NULL,
    actor  BIGINT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    ip     TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX audit_entries_actor ON audit_entries (actor, id);
CREATE INDEX audit_entries_target ON audit_entries (target, id);

-- +goose Down
DROP TABLE audit_entries;
DROP TABLE limits;
DROP TABLE known_devices;
DROP TABLE sessions;
DROP TABLE invitations;
DROP TABLE challenges;
DROP TABLE signups;
DROP TABLE users;
