package provider

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// validate also refuses a client whose ID tokens nothing can sign, unless it had this algorithm
// before.
func (c *Clients) validate(changed openid.Client, algBefore string) error {
	if err := changed.Validate(); err != nil || changed.IDTokenAlg == algBefore {
		return err
	}
	known, err := c.Algorithms()
	if err == nil && !slices.Contains(known, changed.IDTokenAlg) {
		err = openid.ErrNoSigningKey
	}
	return err
}

func (c *Clients) newSecret() (string, openid.SecretHash, error) {
	secret, err := challenge.NewLink(c.Random)
	return secret, openid.HashSecret(secret), err
}

// Update changes a client by change, which may run twice, and returns it; its id, its secret and
// its time stay. A client that is no longer public gets a secret, which is returned and shown this
// once. The sessions of a client that is no longer first party end, because they may do what
// their users may. Owners only.
func (c *Clients) Update(ctx context.Context, by user.Caller, client string, change func(*openid.Client)) (openid.Client, string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return openid.Client{}, "", err
	}
	secret, hash, err := c.newSecret()
	if err != nil {
		return openid.Client{}, "", err
	}
	var before, after openid.Client
	err = c.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if before, err = st.LockClient(ctx, client); err != nil {
			return err
		}
		after = changed(before, change, hash)
		if err := c.validate(after, before.IDTokenAlg); err != nil {
			return err
		}
		return c.save(ctx, st, by, after, "client.changed", openid.Difference(before, after))
	})
	if err == nil && before.FirstParty && !after.FirstParty {
		err = c.endSessionsOf(ctx, client)
	}
	if err != nil {
		return openid.Client{}, "", err
	}
	if !before.Public || after.Public {
		secret = ""
	}
	return after, secret, nil
}

// changed returns a client as change leaves it, with the secret of before or, if it had none and needs
// one now, with a new one.
func changed(before openid.Client, change func(*openid.Client), secret openid.SecretHash) openid.Client {
	after := before
	after.RedirectURIs, after.PostLogoutRedirectURIs = slices.Clone(before.RedirectURIs), slices.Clone(before.PostLogoutRedirectURIs)
	change(&after)
	after.ID, after.CreatedAt, after.SecretHash = before.ID, before.CreatedAt, before.SecretHash
	after.PreviousSecretHash, after.PreviousSecretUntil = before.PreviousSecretHash, before.PreviousSecretUntil
	switch {
	case after.Public:
		after.SecretHash, after.PreviousSecretHash, after.PreviousSecretUntil = openid.SecretHash{}, openid.SecretHash{}, time.Time{}
	case before.Public:
		after.SecretHash = secret
	}
	return after
}

// save stores a changed client with an entry in the audit log.
func (c *Clients) save(ctx context.Context, st *tx, by user.Caller, changed openid.Client, action, detail string) error {
	if err := st.SaveClient(ctx, changed); err != nil {
		return err
	}
	number, _ := id.Parse(changed.ID)
	if detail != "" {
		detail = changed.Name + ": " + detail
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{c.AuditEntry(by, action, user.ID(number), detail)}})
}

// endSessionsOf ends all sessions of a client, whose grants stay.
func (c *Clients) endSessionsOf(ctx context.Context, client string) error {
	return c.eachGrantee(ctx, client, func(of user.ID) error {
		_, err := c.endSessionsOfClient(ctx, of, client, event.EndedByAdmin)
		return err
	})
}

// RenewSecret replaces the secret of a client and returns the new one, which is shown this
// once. The old one works for the overlap, openid.MaxOverlap at most; sessions stay. The error
// for a public client is openid.ErrClientPublic. Owners only.
func (c *Clients) RenewSecret(ctx context.Context, by user.Caller, client string, overlap time.Duration) (string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return "", err
	}
	secret, hash, err := c.newSecret()
	if err != nil {
		return "", err
	}
	err = c.Atomically(ctx, func(ctx context.Context, st *tx) error {
		found, err := st.LockClient(ctx, client)
		if err == nil {
			err = found.RenewSecret(hash, c.Now(), overlap)
		}
		if err != nil {
			return err
		}
		return c.save(ctx, st, by, found, "client.secret_renewed", "overlap "+overlap.String())
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}
