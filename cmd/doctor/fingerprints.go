package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/cmd/config"
)

const keyHistory = "key history"

// checkFingerprints compares the keys of the settings with those that the database was used with.
// checkKeys reports keys that cannot be read.
func checkFingerprints(ctx context.Context, s *config.Settings, parts config.Components) (all []finding) {
	if !parts.Identity() {
		return nil
	}
	return inspect(ctx, s.MainDatabase(), func(ctx context.Context, db *gormstore.DB) ([]finding, error) { return compareKeys(ctx, db, s) })
}

// compareKeys finds a key that was replaced. A key that sealed the secrets of authenticator apps is
// needed as long as somebody uses them.
func compareKeys(ctx context.Context, db *gormstore.DB, s *config.Settings) ([]finding, error) {
	current, previous, err := s.Fingerprints()
	if err != nil {
		return nil, err
	}
	used, err := authstore.UsedKeys(ctx, db)
	if err != nil || current["PRIVATE_KEY"] == "" {
		return nil, err
	}
	locked, some, err := countLocked(ctx, db, s)
	if err != nil {
		return nil, err
	}
	var all []finding
	if lost := lostKeys(used, append(previous, current["PRIVATE_KEY"])); locked > 0 {
		all = append(all, finding{keyHistory, failure, fmt.Sprintf("%d of %d second factors cannot be checked: their secrets were sealed with another PRIVATE_KEY than %s%s", locked, some, current["PRIVATE_KEY"], lost),
			"put the old key into PREVIOUS_PRIVATE_KEYS; for those whose key is lost: `octavo users reset-2fa EMAIL`"})
	}
	for _, name := range []string{"PRIVATE_KEY", "OIDC_SIGNING_KEY"} {
		if since, replaced := replacedSince(used, name, current[name]); replaced {
			all = append(all, warn(keyHistory, fmt.Sprintf("%s (%s) is not a key that this database was used with; the newest one is in use since %s", name, current[name], since.Format(time.RFC3339)),
				"if that was not intended, set the old key again; octavo docs operations/keys says what a new key changes"))
		}
	}
	if len(all) == 0 && len(used) > 0 {
		all = append(all, passed(keyHistory, "the database was used with PRIVATE_KEY %s", current["PRIVATE_KEY"]))
	}
	return all, nil
}

// maxSecrets bounds how many secrets are tried.
const maxSecrets = 10_000

// countLocked returns how many of the secrets of authenticator apps no key opens.
func countLocked(ctx context.Context, db *gormstore.DB, s *config.Settings) (locked, all int, err error) {
	secrets, err := authstore.SealedSecrets(ctx, db, maxSecrets)
	if err != nil || len(secrets) == 0 {
		return 0, 0, err
	}
	key, previous, err := s.SecretKeys()
	if err != nil {
		return 0, 0, err
	}
	box, err := seal.New(key, "secrets", previous...)
	if err != nil {
		return 0, 0, err
	}
	for _, sealed := range secrets {
		if _, err := box.Open(sealed); err != nil {
			locked++
		}
	}
	return locked, len(secrets), nil
}

// lostKeys names the keys that the database was used with and that are not at hand.
func lostKeys(used []authstore.UsedKey, at []string) (text string) {
	for _, k := range used {
		if k.Name == "PRIVATE_KEY" && !slices.Contains(at, k.Fingerprint) {
			text += fmt.Sprintf("; missing: %s, used since %s", k.Fingerprint, k.FirstUsed.Format(time.RFC3339))
		}
	}
	return text
}

// replacedSince reports whether a key is not among those of its name, and when the newest of them
// was first used.
func replacedSince(used []authstore.UsedKey, name, fingerprint string) (since time.Time, replaced bool) {
	for _, k := range used {
		if k.Name == name {
			since, replaced = k.FirstUsed, true
		}
	}
	known := slices.ContainsFunc(used, func(k authstore.UsedKey) bool { return k.Name == name && k.Fingerprint == fingerprint })
	return since, replaced && !known && fingerprint != ""
}

// LogKeys logs what Examine would print about the history of the keys, and records those that are
// used from now on.
func LogKeys(ctx context.Context, db *gormstore.DB, s *config.Settings, now time.Time, log *slog.Logger) error {
	all, err := compareKeys(ctx, db, s)
	if err != nil {
		return err
	}
	for _, f := range all {
		if f.state != ok {
			log.WarnContext(ctx, "a key was replaced", "what", f.text, "advice", f.advice)
		}
	}
	current, _, err := s.Fingerprints()
	if err != nil {
		return err
	}
	var keys []authstore.UsedKey
	for name, fingerprint := range current {
		keys = append(keys, authstore.UsedKey{Name: name, Fingerprint: fingerprint, FirstUsed: now})
	}
	return authstore.RecordKeys(ctx, db, keys)
}
