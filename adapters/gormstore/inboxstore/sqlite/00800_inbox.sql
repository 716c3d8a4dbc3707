-- +goose Up
-- Times are Unix microseconds.

CREATE TABLE inbox_deliveries (
    seq         INTEGER PRIMARY KEY,
    source      TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    event       TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    header      TEXT    NOT NULL, -- to be forwarded, in JSON; '' for those of the sender host
    received_at INTEGER NOT NULL,
    position    INTEGER NOT NULL, -- in the order of commits; finds payload and attempts
    -- Of several deliveries of one source with the same id, the later ones have ~2, ~3, … at the end of their
    -- ids, and here the id of the sender.
    original    TEXT    NOT NULL DEFAULT '',
    conflict    INTEGER NOT NULL DEFAULT 0, -- 1: its body is not that of an earlier one
    unmatched   INTEGER NOT NULL DEFAULT 0  -- 1: no rule took it, so it has no job
);
CREATE UNIQUE INDEX inbox_deliveries_id ON inbox_deliveries (id, source); -- by id alone, too
-- Lists by source. The default source has none, so that its deliveries do not pay for it.
CREATE INDEX inbox_deliveries_source ON inbox_deliveries (source, seq) WHERE source <> 'default';
CREATE INDEX inbox_deliveries_event ON inbox_deliveries (event, seq); -- lists by event, newest first
CREATE INDEX inbox_deliveries_original ON inbox_deliveries (original, source) WHERE original <> '';
CREATE INDEX inbox_deliveries_unmatched ON inbox_deliveries (seq) WHERE unmatched = 1; -- the list of unmatched deliveries

-- Payloads have a table of their own: they are deleted earlier, and lists do not read them.
CREATE TABLE inbox_payloads (
    position INTEGER PRIMARY KEY, -- that of the delivery, the order of the feed
    seq      INTEGER NOT NULL,
    payload  BLOB    NOT NULL  -- compressed if that is shorter, see compress.go
);

-- One job for each rule that a delivery matches.
CREATE TABLE inbox_jobs (
    id          INTEGER PRIMARY KEY,
    seq         INTEGER NOT NULL, -- of the delivery
    rule        TEXT    NOT NULL, -- the rule's key
    order_key   TEXT    NOT NULL, -- jobs with the same key are sent one after another; '' for no order
    state       INTEGER NOT NULL, -- 0 open, 1 delivered, 2 dead, 3 replaced
    due_at      INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    owner       INTEGER NOT NULL DEFAULT 0, -- of the lease; always 0, because a single process uses the file
    attempts    INTEGER NOT NULL, -- also the fencing token of the lease
    redelivery  INTEGER NOT NULL,
    status      INTEGER NOT NULL, -- of the last response
    error       TEXT    NOT NULL,
    changed_at  INTEGER NOT NULL
);
CREATE INDEX inbox_jobs_of ON inbox_jobs (seq); -- the jobs of a delivery
CREATE INDEX inbox_jobs_due ON inbox_jobs (rule, due_at, seq) WHERE state = 0; -- the next jobs of a rule
-- Finds earlier open jobs with the same order key.
CREATE INDEX inbox_jobs_order ON inbox_jobs (rule, order_key, id) WHERE state = 0 AND order_key <> '';
CREATE INDEX inbox_jobs_open ON inbox_jobs (seq) WHERE state = 0; -- the list of pending deliveries
CREATE INDEX inbox_jobs_dead ON inbox_jobs (seq, rule) WHERE state = 2; -- the list of dead ones, and their number by rule

-- The requests to targets, the last of each job.
CREATE TABLE inbox_attempts (
    id       INTEGER PRIMARY KEY, -- in the order of storing, for pruning
    position INTEGER NOT NULL, -- of the delivery
    job      INTEGER NOT NULL, -- its rule is that of the attempt
    number   INTEGER NOT NULL, -- of the job, from 1
    at       INTEGER NOT NULL,
    target   TEXT    NOT NULL, -- the URL without its query
    status   INTEGER NOT NULL, -- 0 without a response
    error    TEXT    NOT NULL,
    duration INTEGER NOT NULL, -- in microseconds
    answer   TEXT    NOT NULL  -- the beginning of the response's body
);
-- Those of a delivery; an outcome that is stored again adds none.
CREATE UNIQUE INDEX inbox_attempts_of ON inbox_attempts (position, job, number);

-- Hashes of event and payload: until the given time, the same delivery under another
-- id is a duplicate.
CREATE TABLE inbox_hashes (
    hash       BLOB    PRIMARY KEY,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX inbox_hashes_expiry ON inbox_hashes (expires_at); -- pruning

-- The rules of the running service, for other processes such as the command line.
-- Secrets are not stored.
CREATE TABLE inbox_rules (
    position  INTEGER PRIMARY KEY,
    rule      TEXT    NOT NULL, -- as in inbox_jobs
    source    TEXT    NOT NULL, -- '' for any
    pattern   TEXT    NOT NULL, -- one a line
    condition TEXT    NOT NULL, -- the rule's where; '' for none
    order_by  TEXT    NOT NULL,
    rate      TEXT    NOT NULL, -- '' for no limit
    target    TEXT    NOT NULL, -- the URL without its query
    paused    INTEGER NOT NULL  -- by the file of rules
);

-- What operators and targets did to rules, also to rules that are gone. 0 is no time.
CREATE TABLE inbox_rule_states (
    rule          TEXT    PRIMARY KEY, -- as in inbox_jobs
    paused_at     INTEGER NOT NULL DEFAULT 0, -- by an operator
    tried_at      INTEGER NOT NULL DEFAULT 0, -- the last attempt, with its result
    status        INTEGER NOT NULL DEFAULT 0,
    error         TEXT    NOT NULL DEFAULT '',
    circuit_open  INTEGER NOT NULL DEFAULT 0,
    answered_at   INTEGER NOT NULL DEFAULT 0, -- the last attempt that the target answered
    failing_since INTEGER NOT NULL DEFAULT 0, -- the first failure after that
    died_at       INTEGER NOT NULL DEFAULT 0, -- when the last job became dead
    told          INTEGER NOT NULL DEFAULT 0, -- how often operators were told of the rule; odd: it fails
    told_at       INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX inbox_rule_states_paused ON inbox_rule_states (rule) WHERE paused_at > 0; -- read every second

-- What operators are still to be told.
CREATE TABLE inbox_alerts (
    id       INTEGER PRIMARY KEY,
    channel  TEXT    NOT NULL, -- url or mail
    due_at   INTEGER NOT NULL, -- also the end of a lease
    attempts INTEGER NOT NULL, -- also the fencing token of the lease
    alert    TEXT    NOT NULL  -- in JSON
);

-- The attempts of the last hour, in steps of five minutes.
CREATE TABLE inbox_rule_attempts (
    rule     TEXT    NOT NULL,
    at       INTEGER NOT NULL, -- when the step begins
    attempts INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    PRIMARY KEY (rule, at)
) WITHOUT ROWID;
