// Package factors is the room of second factors and passkeys.
package factors

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Room has the use cases of the room.
type Room struct {
	SecondFactors *SecondFactors
	Passkeys      *Passkeys
}

// New returns the use cases over the storage of an adapter. draw returns a QR code as an SVG image that
// needs no other file.
func New(d *auth.Deps, r Reader, open Open, v PasskeyVerifier, draw func(text string) (string, error)) *Room {
	u := &unit{auth.Unit[*tx]{Deps: d, In: in(open)}, r, v, draw}
	s := &SecondFactors{u}
	d.Hooks.RequireSecondFactor, d.Hooks.ProveSecondFactor = s.require, s.prove
	d.Hooks.SignsIn = append(d.Hooks.SignsIn, func(ctx context.Context, st auth.Stores, of user.ID) (bool, error) {
		all, err := open(st).LockPasskeys(ctx, of)
		return len(all) > 0 && !d.ExternalOnly, err
	})
	d.Hooks.Reaches = append(d.Hooks.Reaches, u.reaches)
	d.Hooks.AddressRestored = append(d.Hooks.AddressRestored, func(ctx context.Context, st auth.Stores, of user.ID, since time.Time) error {
		return void(ctx, open(st), of, since)
	})
	d.Hooks.Exports = append(d.Hooks.Exports, u.export)
	return &Room{SecondFactors: s, Passkeys: &Passkeys{u}}
}

// reaches is one of Hooks.Reaches.
func (u *unit) reaches(ctx context.Context, own session.Session) (session.Level, error) {
	passkeys, err := u.reader.ListPasskeys(ctx, own.User)
	if err != nil || len(passkeys) > 0 {
		return session.Passkey, err
	}
	on, err := u.reader.HasSecondFactor(ctx, own.User)
	if on {
		return session.TwoFactors, err
	}
	return 0, err
}

// unit is what the use cases of the room share.
type unit struct {
	auth.Unit[*tx]
	reader     Reader
	verifier   PasskeyVerifier
	drawQRCode func(text string) (string, error)
}

// tx is a transaction in progress: what all rooms share, and the store of this one.
type tx struct {
	auth.Stores
	Store
}

// Open opens the room's store in a transaction.
type Open = func(auth.Stores) Store

func in(open Open) func(auth.Stores) *tx {
	return func(st auth.Stores) *tx { return &tx{st, open(st)} }
}

// void deletes the passkeys that were added to an account since a time, and its second factor.
func void(ctx context.Context, st Store, of user.ID, since time.Time) error {
	all, err := st.LockPasskeys(ctx, of)
	if err != nil {
		return err
	}
	var added []passkey.ID
	for _, p := range all {
		if !p.CreatedAt.Before(since) {
			added = append(added, p.ID)
		}
	}
	if len(added) > 0 {
		if _, err := st.DeletePasskeys(ctx, of, added...); err != nil {
			return err
		}
	}
	return voidSecondFactor(ctx, st, of, since)
}

// voidSecondFactor deletes an authenticator app that was added since. Of an older one it deletes
// the recovery codes, because a thief may have renewed them: their age is not stored.
func voidSecondFactor(ctx context.Context, st Store, of user.ID, since time.Time) error {
	f, err := st.LockSecondFactor(ctx, of)
	switch {
	case errors.Is(err, auth.ErrSecondFactorOff):
		return nil
	case err != nil:
		return err
	case !f.StartedAt.Before(since):
		return st.DeleteSecondFactor(ctx, of)
	}
	f.Recovery = nil
	return st.PutSecondFactor(ctx, f)
}

// export adds the passkeys of a user, and whether the second factor is on.
func (u *unit) export(ctx context.Context, of user.ID, out *auth.ExportedAccount) error {
	passkeys, err := u.reader.ListPasskeys(ctx, of)
	if err != nil {
		return err
	}
	for _, p := range passkeys {
		out.Passkeys = append(
			out.Passkeys, auth.ExportedPasskey{Name: p.Name, CreatedAt: p.CreatedAt, LastUsedAt: auth.Moment(p.LastUsedAt)},
		)
	}
	out.AuthenticatorApp, err = u.reader.HasSecondFactor(ctx, of)
	return err
}
