package authstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
)

// challenges keeps codes and links within a transaction.
type challenges struct{ *transaction }

const challengeColumns = `purpose, email, subject, digest, tries, created_at, expires_at, used_at`

func scanChallenge(row scanner) (challenge.Challenge, error) {
	var c challenge.Challenge
	var digest []byte
	var created, expires int64
	var used sql.NullInt64
	if err := row.Scan(&c.Purpose, &c.Email, &c.Subject, &digest, &c.Tries, &created, &expires, &used); err != nil {
		return c, err
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
	_, err := c.exec(`INSERT INTO challenges (`+challengeColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, NULL)
		ON CONFLICT (purpose, email, subject) DO UPDATE SET digest = excluded.digest, tries = excluded.tries,
			created_at = excluded.created_at, expires_at = excluded.expires_at, used_at = NULL`,
		string(put.Purpose), string(put.Email), put.Subject, put.Digest[:], put.Tries,
		put.CreatedAt.UnixMicro(), put.ExpiresAt.UnixMicro())
	return err
}

// Try counts and reads in one statement, so that of many tries at once no more
// than MaxTries see an open challenge.
func (c challenges) Try(_ context.Context, p challenge.Purpose, email user.Email, now time.Time) ([]challenge.Challenge, error) {
	var open []challenge.Challenge
	err := c.query(func(row scanner) error {
		one, err := scanChallenge(row)
		open = append(open, one)
		return err
	}, `UPDATE challenges SET tries = tries + 1
		WHERE purpose = ? AND email = ? AND used_at IS NULL AND expires_at > ? AND tries < ?
		RETURNING `+challengeColumns, string(p), string(email), now.UnixMicro(), challenge.MaxTries)
	return open, err
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
