package authstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
)

// challenges keeps codes and links within a transaction.
type challenges struct{ *transaction }

const challengeColumns = `purpose, email, subject, digest, tries, tried_from, created_at, expires_at, used_at`

func scanChallenge(row scanner) (challenge.Challenge, error) {
	var c challenge.Challenge
	var digest, from []byte
	var created, expires int64
	var used sql.NullInt64
	if err := row.Scan(&c.Purpose, &c.Email, &c.Subject, &digest, &c.Tries.ByStrangers, &from, &created, &expires, &used); err != nil {
		return c, err
	}
	if err := json.Unmarshal(from, &c.Tries.From); err != nil {
		return c, fmt.Errorf("the tries of a code: %w", err)
	}
	if len(digest) != len(c.Digest) {
		return c, fmt.Errorf("a digest of %d bytes", len(digest))
	}
	c.Digest = [sha256.Size]byte(digest)
	c.CreatedAt, c.ExpiresAt, c.UsedAt = instant(created), instant(expires), maybe(used)
	return c, nil
}

// Link finds a challenge by its digest.
func (i *Identity) Link(ctx context.Context, digest [sha256.Size]byte) (challenge.Challenge, error) {
	c, err := scanChallenge(i.byDigest.QueryRowContext(ctx, digest[:]))
	if errors.Is(err, sql.ErrNoRows) {
		return challenge.Challenge{}, challenge.ErrLinkInvalid
	}
	if err != nil {
		return challenge.Challenge{}, gormstore.Explain(fmt.Errorf("find a link: %w", err))
	}
	return c, nil
}

func (c challenges) Put(_ context.Context, put challenge.Challenge, instead ...challenge.Purpose) error {
	for _, p := range instead {
		if _, err := c.exec(`DELETE FROM challenges WHERE purpose = ? AND email = ? AND subject = ?`,
			string(p), string(put.Email), put.Subject); err != nil {
			return err
		}
	}
	_, err := c.exec(`INSERT INTO challenges (`+challengeColumns+`) VALUES (?, ?, ?, ?, 0, '{}', ?, ?, NULL)
		ON CONFLICT (purpose, email, subject) DO UPDATE SET digest = excluded.digest, tries = 0, tried_from = '{}',
			created_at = excluded.created_at, expires_at = excluded.expires_at, used_at = NULL`,
		string(put.Purpose), string(put.Email), put.Subject, put.Digest[:], put.CreatedAt.UnixMicro(), put.ExpiresAt.UnixMicro())
	return err
}

// Try locks the challenges before it counts, so that of many tries at once no more
// than are allowed see one.
func (c challenges) Try(_ context.Context, p challenge.Purpose, email user.Email, by challenge.Guesser, now time.Time) ([]challenge.Challenge, error) {
	var all, open []challenge.Challenge
	err := c.query(func(row scanner) error {
		one, err := scanChallenge(row)
		all = append(all, one)
		return err
	}, `SELECT `+challengeColumns+` FROM challenges WHERE purpose = ? AND email = ? AND used_at IS NULL AND expires_at > ?`+c.locking(),
		string(p), string(email), now.UnixMicro())
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		var counted bool
		one.Tries, counted = one.Tries.Count(by)
		if err := c.saveTries(one); err != nil { // counted or not: it is as much work
			return nil, err
		}
		if counted {
			open = append(open, one)
		}
	}
	return open, nil
}

func (c challenges) saveTries(of challenge.Challenge) error {
	from, err := json.Marshal(of.Tries.From)
	if err != nil {
		return fmt.Errorf("the tries of a code: %w", err)
	}
	_, err = c.exec(`UPDATE challenges SET tries = ?, tried_from = ? WHERE digest = ?`, of.Tries.ByStrangers, string(from), of.Digest[:])
	return err
}

func (c challenges) Use(_ context.Context, used challenge.Challenge, now time.Time) (bool, error) {
	n, err := c.exec(`UPDATE challenges SET used_at = ?
		WHERE purpose = ? AND email = ? AND subject = ? AND digest = ? AND used_at IS NULL AND expires_at > ?`,
		now.UnixMicro(), string(used.Purpose), string(used.Email), used.Subject, used.Digest[:], now.UnixMicro())
	return n == 1, err
}

func (c challenges) Drop(_ context.Context, email user.Email, except int64, purposes ...challenge.Purpose) error {
	if except == 0 {
		except = -1 // no subject
	}
	for _, p := range purposes {
		_, err := c.exec(`DELETE FROM challenges WHERE purpose = ? AND email = ? AND subject <> ?`, string(p), string(email), except)
		if err != nil {
			return err
		}
	}
	return nil
}
