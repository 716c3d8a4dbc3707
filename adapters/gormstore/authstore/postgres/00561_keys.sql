-- +goose Up
-- The keys with which this database was used, by their fingerprints: the thumbprints (RFC 7638) that are
-- their ids in the JWKS, too. Secrets that one of them has sealed need it for years.
CREATE TABLE used_keys (
    name        TEXT   NOT NULL, -- of the setting: PRIVATE_KEY, OIDC_SIGNING_KEY
    fingerprint TEXT   NOT NULL,
    first_used  BIGINT NOT NULL, -- microseconds
    PRIMARY KEY (name, fingerprint)
);
