package machines

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// MachineTokens authenticates machines, issues their tokens and tells resources about them.
type MachineTokens struct{ *unit }

const (
	// skew is how far ahead the clock of a machine may be.
	skew = 30 * time.Second
	// maxAssertion is for how long an assertion may be valid.
	maxAssertion = time.Hour
	maxJTI       = 255 // bytes
)

// AuthenticateBySecret returns the machine with this id and secret, or machine.ErrUnknown.
func (m *MachineTokens) AuthenticateBySecret(ctx context.Context, client, secret string) (machine.Client, error) {
	c, err := m.find(ctx, client)
	if err == nil {
		err = c.Authenticate(secret, m.Now())
	}
	return c, err
}

func (m *MachineTokens) find(ctx context.Context, client string) (machine.Client, error) {
	c, err := m.reader.FindMachine(ctx, client)
	if errors.Is(err, machine.ErrClientNotFound) {
		err = machine.ErrUnknown
	}
	return c, err
}

// AuthenticateByAssertion returns the machine that has signed an assertion (private_key_jwt) for one of the
// audiences, or machine.ErrUnknown. An assertion is accepted once.
func (m *MachineTokens) AuthenticateByAssertion(ctx context.Context, assertion string, audiences ...string) (machine.Client, error) {
	c, err := m.find(ctx, m.assertions.Subject(assertion))
	if err == nil && !c.HasKeys() {
		err = machine.ErrUnknown
	}
	if err != nil {
		return c, err
	}
	said, err := m.assertions.VerifyAssertion(ctx, c, assertion)
	if err == nil {
		err = said.check(c.ID, audiences, m.Now())
	}
	if err != nil {
		return machine.Client{}, err
	}
	used := false
	err = m.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		used, err = st.UseAssertion(ctx, sha256.Sum256([]byte(c.ID+"\x00"+said.ID)), said.ExpiresAt)
		return err
	})
	if err == nil && !used {
		err = machine.ErrUnknown.WithMsg("The assertion was used before.")
	}
	return c, err
}

// check applies the rules of RFC 7523, section 3.
func (a Assertion) check(client string, audiences []string, now time.Time) error {
	switch {
	case a.Issuer != client || a.Subject != client:
		return machine.ErrUnknown.WithMsg("iss and sub of the assertion must be the client_id.")
	case !slices.ContainsFunc(a.Audience, func(one string) bool { return slices.Contains(audiences, one) }):
		return machine.ErrUnknown.WithMsg("aud of the assertion must be the issuer or the token endpoint.")
	case a.ID == "" || len(a.ID) > maxJTI:
		return machine.ErrUnknown.WithMsg("The assertion needs a jti of at most 255 bytes.")
	case !now.Before(a.ExpiresAt):
		return machine.ErrUnknown.WithMsg("The assertion has expired.")
	case a.ExpiresAt.After(now.Add(maxAssertion + skew)):
		return machine.ErrUnknown.WithMsg("The assertion is valid for longer than an hour.")
	case a.IssuedAt.After(now.Add(skew)) || a.NotBefore.After(now.Add(skew)):
		return machine.ErrUnknown.WithMsg("The assertion is not valid yet.")
	}
	return nil
}

// Issued is the answer to a request for a token.
type Issued struct {
	AccessToken string
	ExpiresIn   time.Duration
	Scopes      string
}

// Issue starts a session of an authenticated machine at a resource and returns its token. resource is an identifier, and
// may be empty if the machine has one resource; scope may be empty for all. The errors are machine.ErrInvalidTarget and
// machine.ErrInvalidScope.
func (m *MachineTokens) Issue(ctx context.Context, c machine.Client, resource, scope string, from user.ClientInfo) (Issued, error) {
	r, err := m.target(ctx, c, resource)
	if err != nil {
		return Issued{}, err
	}
	asked, now := strings.Fields(scope), m.Now()
	claims := Claims{
		Session: user.SessionID(m.NextID()), Client: c.ID, Audience: r.Identifier, IssuedAt: now, ExpiresAt: now.Add(m.AccessTTL),
	}
	err = m.Atomically(ctx, func(ctx context.Context, st *tx) error {
		latest, err := st.LockMachine(ctx, c.ID) // it may be gone, or may do less by now
		if errors.Is(err, machine.ErrClientNotFound) {
			return machine.ErrUnknown
		}
		if err != nil {
			return err
		}
		granted := latest.Granted(r, asked)
		if len(granted) == 0 || slices.ContainsFunc(asked, func(s string) bool { return !slices.Contains(granted, s) }) {
			return machine.ErrInvalidScope
		}
		claims.Scopes = strings.Join(granted, " ")
		return st.AddMachineSession(ctx, machine.Session{
			ID: claims.Session, Client: c.ID, Resource: r.ID, Scopes: claims.Scopes,
			IP: from.IP, CreatedAt: now, ExpiresAt: claims.ExpiresAt,
		}, machine.MaxSessions)
	})
	if err != nil {
		return Issued{}, err
	}
	token, err := m.tokens.SignMachineToken(claims)
	return Issued{AccessToken: token, ExpiresIn: m.AccessTTL, Scopes: claims.Scopes}, err
}

// target returns the resource of a machine with an identifier.
func (m *MachineTokens) target(ctx context.Context, c machine.Client, identifier string) (machine.Resource, error) {
	if identifier == "" && len(c.Resources) != 1 {
		return machine.Resource{}, machine.ErrInvalidTarget
	}
	for _, one := range c.Resources {
		r, err := m.reader.FindResource(ctx, one)
		switch {
		case errors.Is(err, machine.ErrResourceNotFound): // it was removed
		case err != nil:
			return r, err
		case identifier == "" || r.Identifier == identifier:
			return r, nil
		}
	}
	return machine.Resource{}, machine.ErrInvalidTarget
}

// Inspection describes a machine's token. All fields are zero unless Active.
type Inspection struct {
	Active bool
	Claims
}

// AuthenticateResource returns the resource with this id and secret, or machine.ErrUnknown.
func (m *MachineTokens) AuthenticateResource(ctx context.Context, resource, secret string) (machine.Resource, error) {
	r, err := m.reader.FindResource(ctx, resource)
	if errors.Is(err, machine.ErrResourceNotFound) || err == nil && !r.Secret.Is(secret, m.Now()) {
		err = machine.ErrUnknown
	}
	return r, err
}

// Inspect describes a token to the authenticated resource that it is for, with the scopes that the machine has there
// now. Any other token is reported as inactive.
func (m *MachineTokens) Inspect(ctx context.Context, r machine.Resource, token string) (Inspection, error) {
	claims, s, c, err := m.session(ctx, token)
	if err != nil || s.ID == 0 || claims.Audience != r.Identifier || s.Resource != r.ID {
		return Inspection{}, err
	}
	granted := c.Granted(r, strings.Fields(s.Scopes))
	if len(granted) == 0 {
		return Inspection{}, nil
	}
	claims.Scopes = strings.Join(granted, " ")
	return Inspection{true, claims}, nil
}

// session returns what a token says, with its session and client; a zero session if it is not active.
func (m *MachineTokens) session(ctx context.Context, token string) (claims Claims, s machine.Session, c machine.Client, err error) {
	now := m.Now()
	claims, err = m.tokens.VerifyMachineToken(token, now)
	if err == nil {
		s, c, err = m.reader.FindMachineSession(ctx, claims.Session)
	}
	switch {
	case errors.Is(err, user.ErrUnauthenticated), errors.Is(err, machine.ErrSessionNotFound):
		return claims, machine.Session{}, c, nil
	case err == nil && (!s.Active(now) || s.Client != claims.Client):
		return claims, machine.Session{}, c, nil
	}
	return claims, s, c, err
}

// Revoke ends the session of a token of an authenticated machine. An unknown token, and one of another
// machine, is ignored.
func (m *MachineTokens) Revoke(ctx context.Context, c machine.Client, token string, from user.ClientInfo) error {
	_, s, _, err := m.session(ctx, token)
	if err != nil || s.ID == 0 || s.Client != c.ID {
		return err
	}
	err = m.endSession(ctx, user.Caller{From: from}, c.ID, s.ID)
	if errors.Is(err, machine.ErrSessionNotFound) {
		err = nil
	}
	return err
}
