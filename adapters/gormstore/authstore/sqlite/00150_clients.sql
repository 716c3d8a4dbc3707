-- +goose Up
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
    PRIMARY KEY (user_id, client)
) WITHOUT ROWID;
CREATE INDEX client_grants_of_client ON client_grants (client, user_id);
