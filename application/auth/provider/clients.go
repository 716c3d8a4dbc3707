package provider

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Clients registers the applications that sign people in here, and lets users withdraw their
// consent. Only owners register applications, because a first-party one may do everything that
// its user may, even if that is an owner.
type Clients struct{ *unit }

// Algorithms returns those that ID tokens can be signed with, the default first.
func (c *Clients) Algorithms() ([]string, error) { return c.idTokens.Algorithms() }

// maxClients bounds the list of clients, which every browser request to the token endpoint
// reads.
const maxClients = 1000

// Add registers a client and returns it with its secret, which is shown this once; a public
// client has none. Owners only. The id and the time are set here.
func (c *Clients) Add(ctx context.Context, by user.Caller, added openid.Client) (openid.Client, string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return openid.Client{}, "", err
	}
	if err := c.validate(added, ""); err != nil {
		return openid.Client{}, "", err
	}
	number := c.NextID()
	added.ID, added.CreatedAt = id.Format(number), c.Now()
	var (
		secret string
		err    error
	)
	if !added.Public {
		if secret, added.SecretHash, err = c.newSecret(); err != nil {
			return openid.Client{}, "", err
		}
	}
	err = c.Atomically(ctx, func(ctx context.Context, st *tx) error {
		n, err := st.CountClients(ctx) // or two owners could both add the last one
		if err == nil && n >= maxClients {
			err = openid.ErrTooManyClients
		}
		if err == nil {
			err = st.SaveClient(ctx, added)
		}
		if err != nil {
			return err
		}
		return st.RecordSideEffects(
			ctx, auth.SideEffects{AuditEntries: []audit.Entry{c.AuditEntry(by, "client.added", user.ID(number), added.Name)}},
		)
	})
	if err != nil {
		return openid.Client{}, "", err
	}
	return added, secret, nil
}

// List returns all clients, oldest first. Owners only.
func (c *Clients) List(ctx context.Context, by user.Caller) ([]openid.Client, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return nil, err
	}
	return c.reader.ListClients(ctx)
}

// Find returns a client; openid.ErrClientNotFound for an unknown id. Owners only.
func (c *Clients) Find(ctx context.Context, by user.Caller, client string) (openid.Client, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return openid.Client{}, err
	}
	return c.reader.FindClient(ctx, client)
}

// granteesBatch is how many users' sessions are ended between two reads.
const granteesBatch = 500

// Remove deletes a client and ends its sessions; it returns how many. Owners only. The
// client is gone first, so that no session begins meanwhile. If Remove is interrupted,
// calling it again ends the remaining sessions.
func (c *Clients) Remove(ctx context.Context, by user.Caller, client string) (int, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return 0, err
	}
	found, err := c.deleteClient(ctx, by, client)
	if err != nil {
		return 0, err
	}
	ended := 0
	err = c.eachGrantee(ctx, client, func(of user.ID) error {
		n, err := c.endGrant(ctx, by, of, client, event.EndedByAdmin)
		ended, found = ended+n, true
		return err
	})
	if err == nil && !found {
		err = openid.ErrClientNotFound
	}
	return ended, err
}

// eachGrantee calls do with each user who has allowed a client something, until it returns an error.
func (c *Clients) eachGrantee(ctx context.Context, client string, do func(of user.ID) error) error {
	for last := user.ID(0); ; {
		all, err := c.reader.ListGrantees(ctx, client, last, granteesBatch)
		if err != nil {
			return err
		}
		for _, of := range all {
			if err := do(of); err != nil {
				return err
			}
			last = of
		}
		if len(all) < granteesBatch {
			return nil
		}
	}
}

func (c *Clients) deleteClient(ctx context.Context, by user.Caller, client string) (found bool, err error) {
	number, _ := id.Parse(client)
	err = c.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if found, err = st.DeleteClient(ctx, client); err != nil || !found {
			return err
		}
		return st.RecordSideEffects(
			ctx, auth.SideEffects{AuditEntries: []audit.Entry{c.AuditEntry(by, "client.removed", user.ID(number), "")}},
		)
	})
	return found, err
}

// endGrant ends the sessions of a client for a user and deletes the grant, in this order, so
// that an interrupted call can be repeated. A session that begins in between either finds no
// grant (see Authorizations.recordSession) or is ended by the second look.
func (d *unit) endGrant(ctx context.Context, by user.Caller, of user.ID, client string, why event.SessionEnd) (int, error) {
	before, err := d.endSessionsOfClient(ctx, of, client, why)
	if err != nil {
		return 0, err
	}
	err = d.Atomically(ctx, func(ctx context.Context, st *tx) error {
		found, err := st.DeleteGrant(ctx, of, client)
		if err != nil || !found {
			return err
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{d.AuditEntry(by, "consent.withdrawn", of, "client "+client)},
			Logouts:      []auth.Logout{{User: of, Client: client, At: d.Now()}},
		})
	})
	if err != nil {
		return before, err
	}
	after, err := d.endSessionsOfClient(ctx, of, client, why)
	return before + after, err
}

func (d *unit) endSessionsOfClient(ctx context.Context, of user.ID, client string, why event.SessionEnd) (int, error) {
	all, err := d.Sessions.ListSessions(ctx, of)
	if err != nil {
		return 0, err
	}
	ids := auth.SessionIDs(slices.DeleteFunc(all, func(s session.Session) bool { return s.Client != client }), 0)
	if len(ids) == 0 {
		return 0, nil
	}
	return d.Sessions.RevokeSessions(ctx, of, ids, d.Now(), auth.SideEffects{
		Events: d.SessionsEnded(of, why, ids...), Logouts: []auth.Logout{{User: of, Client: client, At: d.Now()}},
	})
}

// AllowsOrigin reports whether pages of this origin may call the token endpoint.
func (c *Clients) AllowsOrigin(ctx context.Context, origin string) (bool, error) {
	all, err := c.reader.ListClients(ctx)
	return err == nil && openid.OriginAllowed(all, origin), err
}

// Consent is what a user has allowed a client.
type Consent struct {
	Client openid.Client
	Grant  openid.Grant
	Uses   []Use // of resources
}

// ListConsents returns the caller's consents to applications, oldest first.
func (c *Clients) ListConsents(ctx context.Context, by user.Caller) ([]Consent, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return nil, err
	}
	grants, err := c.reader.ListGrants(ctx, by.ID)
	if err != nil {
		return nil, err
	}
	var all []Consent
	for _, g := range grants {
		client, err := c.reader.FindClient(ctx, g.Client)
		if errors.Is(err, openid.ErrClientNotFound) {
			continue // it is being removed
		}
		if err != nil {
			return nil, err
		}
		uses, err := c.usesIn(ctx, g.Scopes)
		if err != nil {
			return nil, err
		}
		all = append(all, Consent{client, g, uses})
	}
	return all, nil
}

// WithdrawConsent withdraws the caller's consent to a client and ends its sessions;
// openid.ErrGrantNotFound if there is none.
func (c *Clients) WithdrawConsent(ctx context.Context, by user.Caller, client string) error {
	all, err := c.ListConsents(ctx, by)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(one Consent) bool { return one.Grant.Client == client }) {
		return openid.ErrGrantNotFound
	}
	_, err = c.endGrant(ctx, by, by.ID, client, event.Revoked)
	return err
}

// NamesOf returns the names of the clients of sessions, by id.
func (c *Clients) NamesOf(ctx context.Context, all []session.Session) (map[string]string, error) {
	names := map[string]string{}
	for _, s := range all {
		if _, known := names[s.Client]; known || s.Client == "" {
			continue
		}
		client, err := c.reader.FindClient(ctx, s.Client)
		if err != nil && !errors.Is(err, openid.ErrClientNotFound) {
			return nil, err
		}
		names[s.Client] = client.Name
	}
	return names, nil
}
