-- +goose Up
-- Times are Unix microseconds.

-- A deleted account keeps its row, because orders and the ledger refer to it. Its
-- address, password and profile are erased.
CREATE TABLE users (
    id               INTEGER PRIMARY KEY,
    email            TEXT UNIQUE,
    password_hash    TEXT NOT NULL DEFAULT '',
    role             INTEGER NOT NULL DEFAULT 0, -- 0 regular, 1 admin, 2 owner
    lang             TEXT NOT NULL DEFAULT 'en',
    verified         INTEGER NOT NULL DEFAULT 0,
    epoch            BIGINT NOT NULL DEFAULT 0,  -- sessions of an earlier epoch are over
    created_at       BIGINT NOT NULL,
    deleted_at       BIGINT,
    display_name     TEXT NOT NULL DEFAULT '',   -- as the user wants to be called
    metadata         TEXT NOT NULL DEFAULT '',   -- a JSON object that admins have set
    suspended_at     BIGINT,                     -- when an admin has suspended the account
    delete_at        BIGINT,                     -- when it will be deleted, because its owner wants it
    -- The profile, NULL where there is none.
    first_name       TEXT,
    last_name        TEXT,
    name_key         TEXT, -- the name in small letters without accents, for searching
    university       TEXT,
    campus_mailbox   TEXT,
    payment_username TEXT,
    campus_store     INTEGER NOT NULL DEFAULT 0, -- 1: a campus store, which may list far more than a person
    CHECK (role IN (0, 1, 2)),
    CHECK (verified IN (0, 1)),
    CHECK ((email IS NULL) = (deleted_at IS NOT NULL)),
    CHECK ((name_key IS NULL) = (first_name IS NULL))
);
-- Locks the owners, so that the last one is neither demoted nor deleted.
CREATE INDEX users_owners ON users (id) WHERE role = 2;
-- Those that are to be deleted at their owners' request.
CREATE INDEX users_leaving ON users (delete_at) WHERE delete_at IS NOT NULL;
-- Who may decide about an affair of somebody of the staff.
CREATE INDEX users_staff ON users (id) WHERE role > 0;
-- The people of a university, newest first: an admin's list would sort all of them.
CREATE INDEX users_of_campus ON users (university, id) WHERE deleted_at IS NULL;
-- The people who joined on a day, at all universities or at one, for the statistics of the market. With deleted_at it has all
-- columns of that statement: for SQLite, it needs those of its own condition, too.
CREATE INDEX users_joined ON users (created_at, university, deleted_at) WHERE deleted_at IS NULL;

-- An admin's search for a part of an address or a name reads this index of parts of three characters
-- in place of all users.
CREATE VIRTUAL TABLE user_search USING fts5(terms, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
-- +goose StatementBegin
CREATE TRIGGER users_indexed AFTER INSERT ON users WHEN NEW.deleted_at IS NULL BEGIN
    INSERT INTO user_search (rowid, terms) VALUES (NEW.id, NEW.email || ' ' || COALESCE(NEW.name_key, ''));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_reindexed AFTER UPDATE OF email, name_key ON users
WHEN OLD.email IS NOT NEW.email OR OLD.name_key IS NOT NEW.name_key BEGIN
    DELETE FROM user_search WHERE rowid = OLD.id;
    INSERT INTO user_search (rowid, terms) SELECT NEW.id, NEW.email || ' ' || COALESCE(NEW.name_key, '') WHERE NEW.email IS NOT NULL;
END;
-- +goose StatementEnd

-- Several sign-ups may wait for one address, each with its own password, until the
-- owner of the address confirms one of them.
CREATE TABLE signups (
    id               INTEGER PRIMARY KEY,
    email            TEXT NOT NULL,
    password_hash    TEXT NOT NULL,
    mark             BLOB NOT NULL,              -- the same for the same password only
    contested        INTEGER NOT NULL DEFAULT 0, -- an earlier one had another password
    mailed           INTEGER NOT NULL,           -- those that a mail was sent for are not crowded out
    lang             TEXT NOT NULL,
    created_at       BIGINT NOT NULL,
    expires_at       BIGINT NOT NULL,
    first_name       TEXT,
    last_name        TEXT,
    university       TEXT,
    campus_mailbox   TEXT,
    payment_username TEXT
);
CREATE INDEX signups_email ON signups (email, id);    -- those of an address, newest first
CREATE INDEX signups_expiry ON signups (expires_at);  -- the sweep

-- At most one code or link is valid for a purpose, an address and a subject.
CREATE TABLE challenges (
    purpose    TEXT NOT NULL,
    email      TEXT NOT NULL,
    subject    BIGINT NOT NULL,
    digest     BLOB NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0, -- of all unknown clients together
    tried_from TEXT NOT NULL DEFAULT '{}', -- of each client: a JSON object
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT,
    PRIMARY KEY (purpose, email, subject)
);
CREATE UNIQUE INDEX challenges_digest ON challenges (digest); -- finds the one that a link carries
CREATE INDEX challenges_expiry ON challenges (expires_at);    -- the sweep

-- What a client does in several requests, such as a sign-in with a second factor.
CREATE TABLE ceremonies (
    digest     BLOB PRIMARY KEY,
    purpose    TEXT NOT NULL,
    user_id    BIGINT NOT NULL, -- 0 if nobody is known yet
    browser    TEXT NOT NULL,
    state      BLOB NOT NULL,
    attempts   INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX ceremonies_expiry ON ceremonies (expires_at); -- the sweep

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
-- A user has one open invitation at most.
CREATE UNIQUE INDEX invitations_open ON invitations (user_id) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- A session is a family of refresh tokens; newest is the number of the newest. A token is
-- verified with server_secret and with client_secret_hash. This table alone is not enough to
-- forge a token.
CREATE TABLE sessions (
    id                 INTEGER PRIMARY KEY,
    user_id            BIGINT NOT NULL REFERENCES users (id),
    epoch              BIGINT NOT NULL,
    server_secret      BLOB NOT NULL,
    client_secret_hash BLOB NOT NULL,
    newest             BIGINT NOT NULL DEFAULT 0,
    newest_seen        BIGINT NOT NULL DEFAULT 0, -- the newest that is known to have arrived
    rotated_at         BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    last_used_at       BIGINT NOT NULL,
    idle_timeout       BIGINT NOT NULL,           -- it ends when it is unused for so long,
    absolute_expiry    BIGINT NOT NULL,           -- or then at the latest
    ended_at           BIGINT,
    ip                 TEXT NOT NULL,
    user_agent         TEXT NOT NULL,
    browser            TEXT NOT NULL,
    os                 TEXT NOT NULL,
    model              TEXT NOT NULL,             -- of the device
    proved_at          BIGINT NOT NULL DEFAULT 0,  -- the last proof of identity within the session; 0: none
    factors            INTEGER NOT NULL DEFAULT 1,
    client             TEXT NOT NULL DEFAULT '',   -- of an OpenID client,
    scopes             TEXT NOT NULL DEFAULT '',   -- what it may read,
    first_party        INTEGER NOT NULL DEFAULT 0, -- or 1 if it may do everything
    -- Somebody who has signed in at another service may have proved who they are there long ago.
    elsewhere          BIGINT NOT NULL DEFAULT 0   -- 1: proved_at alone says when, 0 there: nobody knows
);
-- A user's open sessions, and the least recently used of too many.
CREATE INDEX sessions_of_user ON sessions (user_id, last_used_at) WHERE ended_at IS NULL;

-- The browsers and systems with which a user has signed in. A new one is mailed.
CREATE TABLE known_devices (
    user_id       BIGINT NOT NULL REFERENCES users (id),
    device        TEXT NOT NULL,
    first_seen_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, device)
);

-- The clients from which a user has signed in: IPv4 addresses and IPv6 /64 networks.
-- Unknown clients cannot use up their attempts.
CREATE TABLE known_clients (
    user_id    BIGINT NOT NULL REFERENCES users (id),
    key        TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX known_clients_expiry ON known_clients (expires_at); -- the sweep

-- Rate limits by GCRA. The database keeps them where there is no Redis.
CREATE TABLE limits (
    name       TEXT PRIMARY KEY,
    full_at    BIGINT NOT NULL,           -- when the whole burst is available again
    violations INTEGER NOT NULL DEFAULT 0 -- how often in a row it was used up; the wait grows with it
);
CREATE INDEX limits_full ON limits (full_at); -- the sweep

-- The audit log.
CREATE TABLE audit_entries (
    id     INTEGER PRIMARY KEY,
    at     BIGINT NOT NULL,
    actor  BIGINT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    ip     TEXT NOT NULL,
    detail TEXT NOT NULL
);
-- The audit log of one user, as actor or target, newest first.
CREATE INDEX audit_entries_actor ON audit_entries (actor, id);
CREATE INDEX audit_entries_target ON audit_entries (target, id);
CREATE INDEX audit_entries_action ON audit_entries (action, id); -- one action
CREATE INDEX audit_entries_at ON audit_entries (at);             -- where a day begins

-- Authenticator apps.
CREATE TABLE second_factors (
    user_id      INTEGER PRIMARY KEY,
    secret       BLOB NOT NULL,   -- encrypted with a key that is not in the database
    started_at   BIGINT NOT NULL,
    confirmed_at BIGINT,          -- NULL until the user has entered a first code
    last_step    BIGINT NOT NULL, -- the last step whose code was used
    recovery     BLOB NOT NULL    -- the digests of the unused recovery codes, 32 bytes each
);

-- Browsers on which a user need not repeat the second factor.
CREATE TABLE remembered_devices (
    digest     BLOB PRIMARY KEY, -- of the token in the browser's cookie
    user_id    BIGINT NOT NULL,
    epoch      BIGINT NOT NULL,   -- a newer one of the user forgets the device
    expires_at BIGINT NOT NULL
);
CREATE INDEX remembered_devices_of_user ON remembered_devices (user_id, expires_at);
CREATE INDEX remembered_devices_expiry ON remembered_devices (expires_at); -- the sweep

-- Changes of addresses. Those that were confirmed can be undone for a while; nobody else
-- gets the old address then. They stay longer, so that the deletion of the account erases
-- the mails to the old address, too.
CREATE TABLE email_changes (
    id            INTEGER PRIMARY KEY,
    user_id       BIGINT NOT NULL REFERENCES users (id),
    old_email     TEXT NOT NULL,
    new_email     TEXT NOT NULL,
    password_mark BLOB NOT NULL, -- digest of the password's hash then
    requested_at  BIGINT NOT NULL,
    confirmed_at  BIGINT,        -- NULL before the code was entered
    forget_at     BIGINT NOT NULL
);
CREATE INDEX email_changes_user ON email_changes (user_id, id);
CREATE INDEX email_changes_old ON email_changes (old_email);
CREATE INDEX email_changes_forget ON email_changes (forget_at); -- the sweep

-- Credentials of WebAuthn with which users sign in.
CREATE TABLE passkeys (
    id            INTEGER PRIMARY KEY,
    user_id       BIGINT NOT NULL REFERENCES users (id),
    name          TEXT NOT NULL,
    credential_id BLOB NOT NULL UNIQUE,
    public_key    BLOB NOT NULL,
    counter       BIGINT NOT NULL,
    synced        INTEGER NOT NULL, -- 1 if the credential may be copied to other devices
    transports    TEXT NOT NULL,    -- separated by commas
    created_at    BIGINT NOT NULL,
    last_used_at  BIGINT            -- NULL before the first sign-in
);
CREATE INDEX passkeys_user ON passkeys (user_id, id); -- those of a user, oldest first

-- An external sign-in that belongs to an account. The service knows the person by subject.
CREATE TABLE identities (
    id         INTEGER PRIMARY KEY,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    provider   TEXT NOT NULL,
    subject    TEXT NOT NULL,
    email      TEXT NOT NULL, -- as the service gave it; empty if it gave none
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identities_subject ON identities (provider, subject);
CREATE INDEX identities_user ON identities (user_id, id);

-- Applications that sign people in here by OpenID Connect.
CREATE TABLE clients (
    id               TEXT PRIMARY KEY,
    name             TEXT NOT NULL,
    secret_hash      BLOB NOT NULL,
    redirect_uris    TEXT NOT NULL, -- separated by spaces
    post_logout_uris TEXT NOT NULL,
    public           INTEGER NOT NULL,
    first_party      INTEGER NOT NULL,
    id_token_alg     TEXT NOT NULL,
    created_at       INTEGER NOT NULL
);

-- What a user has allowed a client. It outlives the client until its sessions are ended.
CREATE TABLE client_grants (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    client     TEXT NOT NULL,
    scopes     TEXT NOT NULL, -- separated by spaces
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, -- when the user last allowed more
    PRIMARY KEY (user_id, client)
) WITHOUT ROWID;
CREATE INDEX client_grants_of_client ON client_grants (client, user_id);

-- The keys with which this database was used, by their fingerprints: the thumbprints (RFC 7638) that are
-- their ids in the JWKS, too. Secrets that one of them has sealed need it for years.
CREATE TABLE used_keys (
    name        TEXT   NOT NULL, -- of the setting: PRIVATE_KEY, OIDC_SIGNING_KEY
    fingerprint TEXT   NOT NULL,
    first_used  BIGINT NOT NULL,
    PRIMARY KEY (name, fingerprint)
);
