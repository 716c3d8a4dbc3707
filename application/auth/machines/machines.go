package machines

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// Machines registers the programs that call resources. Owners only.
type Machines struct{ *unit }

// Add registers a client and returns it with its secret, which is shown this once; a client with keys has
// none. The id and the time are set here.
func (m *Machines) Add(ctx context.Context, by user.Caller, added machine.Client) (machine.Client, string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return machine.Client{}, "", err
	}
	if err := m.validate(ctx, added); err != nil {
		return machine.Client{}, "", err
	}
	added.ID, added.CreatedAt, added.Secret = machine.ClientID(id.Format(m.NextID())), m.Now(), machine.Secret{}
	var (
		secret string
		err    error
	)
	if !added.HasKeys() {
		if secret, added.Secret.Hash, err = m.newSecret(); err != nil {
			return machine.Client{}, "", err
		}
	}
	err = m.Atomically(ctx, func(ctx context.Context, st *tx) error {
		n, err := st.CountMachines(ctx) // or two owners could both add the last one
		if err == nil && n >= machine.Max {
			err = machine.ErrTooMany
		}
		if err == nil {
			err = st.SaveMachine(ctx, added)
		}
		if err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, m.recordOf(by, "machine.added", added.ID, added.Name))
	})
	if err != nil {
		return machine.Client{}, "", err
	}
	return added, secret, nil
}

// validate also checks resources and keys.
func (m *Machines) validate(ctx context.Context, c machine.Client) error {
	if err := c.Validate(); err != nil {
		return err
	}
	for _, one := range c.Resources {
		if _, err := m.reader.FindResource(ctx, one); err != nil {
			return err
		}
	}
	switch {
	case c.Keys != "":
		return m.assertions.CheckKeys(c.Keys)
	case c.KeysURL != "":
		return m.assertions.CheckKeysURL(c.KeysURL)
	}
	return nil
}

func (u *unit) newSecret() (string, machine.Hash, error) {
	secret, err := challenge.NewLink(u.Random)
	return secret, machine.HashSecret(secret), err
}

// recordOf is an entry of the audit log. Its target is the number in the id.
func (u *unit) recordOf(by user.Caller, action, of, detail string) auth.SideEffects {
	number, _ := id.Parse(of[1:])
	return auth.SideEffects{AuditEntries: []audit.Entry{u.AuditEntry(by, action, user.ID(number), detail)}}
}

// Update changes a client by change, which may run twice; its id, its secret and its time stay. What it may no longer do
// is refused from the next introspection on. A client that loses its keys gets a secret, which is returned.
func (m *Machines) Update(
	ctx context.Context, by user.Caller, client string, change func(*machine.Client),
) (machine.Client, string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return machine.Client{}, "", err
	}
	known, err := m.reader.FindMachine(ctx, client)
	if err != nil {
		return machine.Client{}, "", err
	}
	change(&known)
	if err := m.validate(ctx, known); err != nil {
		return machine.Client{}, "", err
	}
	secret, hash, err := m.newSecret()
	if err != nil {
		return machine.Client{}, "", err
	}
	var before, after machine.Client
	err = m.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if before, err = st.LockMachine(ctx, client); err != nil {
			return err
		}
		after = before
		after.Resources, after.Scopes = slices.Clone(before.Resources), slices.Clone(before.Scopes)
		change(&after)
		after.ID, after.CreatedAt, after.Secret = before.ID, before.CreatedAt, before.Secret
		switch {
		case after.HasKeys():
			after.Secret = machine.Secret{}
		case before.HasKeys():
			after.Secret = machine.Secret{Hash: hash}
		}
		if err := errors.Join(after.Validate(), st.SaveMachine(ctx, after)); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, m.recordOf(by, "machine.changed", client, after.Name+": "+strings.Join(after.Scopes, " ")))
	})
	if err != nil || after.HasKeys() || !before.HasKeys() {
		secret = ""
	}
	return after, secret, err
}

// RenewSecret replaces the secret of a client and returns the new one, which is shown this once; the old one
// works for the overlap.
func (m *Machines) RenewSecret(ctx context.Context, by user.Caller, client string, overlap time.Duration) (string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return "", err
	}
	secret, hash, err := m.newSecret()
	if err != nil {
		return "", err
	}
	err = m.Atomically(ctx, func(ctx context.Context, st *tx) error {
		c, err := st.LockMachine(ctx, client)
		if err == nil && c.HasKeys() {
			err = machine.ErrNoSecret
		}
		if err == nil {
			err = c.Secret.Renew(hash, m.Now(), overlap)
		}
		if err == nil {
			err = st.SaveMachine(ctx, c)
		}
		if err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, m.recordOf(by, "machine.secret_renewed", client, c.Name))
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Remove deletes a client and ends its sessions; it returns how many.
func (m *Machines) Remove(ctx context.Context, by user.Caller, client string) (ended int, err error) {
	if err := by.MustBe(user.Owner); err != nil {
		return 0, err
	}
	err = m.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if ended, err = st.DeleteMachine(ctx, client); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, m.recordOf(by, "machine.removed", client, ""))
	})
	return ended, err
}

// List returns all clients, oldest first.
func (m *Machines) List(ctx context.Context, by user.Caller) ([]machine.Client, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return nil, err
	}
	return m.reader.ListMachines(ctx)
}

// Find returns a client; machine.ErrClientNotFound for an unknown id.
func (m *Machines) Find(ctx context.Context, by user.Caller, client string) (machine.Client, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return machine.Client{}, err
	}
	return m.reader.FindMachine(ctx, client)
}

// ListSessions returns the active sessions of a client, newest first.
func (m *Machines) ListSessions(ctx context.Context, by user.Caller, client string) ([]machine.Session, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return nil, err
	}
	if _, err := m.reader.FindMachine(ctx, client); err != nil {
		return nil, err
	}
	all, err := m.reader.ListMachineSessions(ctx, client)
	now := m.Now()
	return slices.DeleteFunc(all, func(s machine.Session) bool { return !s.Active(now) }), err
}

// EndSessions ends sessions of a client, all of them if none is named, and returns how many.
func (m *Machines) EndSessions(ctx context.Context, by user.Caller, client string, ids ...user.SessionID) (int, error) {
	all, err := m.ListSessions(ctx, by, client)
	if err != nil {
		return 0, err
	}
	for _, one := range all {
		if len(ids) > 0 && !slices.Contains(ids, one.ID) {
			continue
		}
		if err := m.endSession(ctx, by, client, one.ID); err != nil && !errors.Is(err, machine.ErrSessionNotFound) {
			return 0, err
		}
	}
	if len(ids) > 0 && !slices.ContainsFunc(all, func(s machine.Session) bool { return slices.Contains(ids, s.ID) }) {
		return 0, machine.ErrSessionNotFound
	}
	if len(ids) > 0 {
		return len(ids), nil
	}
	return len(all), nil
}

func (u *unit) endSession(ctx context.Context, by user.Caller, client string, session user.SessionID) error {
	return u.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if err := st.DeleteMachineSession(ctx, client, session); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, u.recordOf(by, "machine.session_ended", client, "session "+session.String()))
	})
}
