package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// ReadAccountRecords implements auth.AccountRecordReader. It has no bound.
func (i *Identity) ReadAccountRecords(ctx context.Context, of user.User, _ int) (r auth.AccountRecords, err error) {
	err = i.store.read(ctx, func() error {
		t := i.store.tables.auth
		for k, until := range t.knownClients {
			if k.of == of.ID {
				r.KnownClients = append(r.KnownClients, auth.KnownClient{User: of.ID, Key: k.name, Until: until})
			}
		}
		for _, d := range t.remembered {
			if d.User == of.ID {
				r.RememberedUntil = append(r.RememberedUntil, d.ExpiresAt)
			}
		}
		for _, s := range t.registrations {
			if s.Email == of.Email {
				r.Registrations = append(r.Registrations, s)
			}
		}
		for _, inv := range t.invitations {
			if inv.User == of.ID {
				r.Invitations = append(r.Invitations, inv.Invitation)
			}
		}
		for _, c := range t.emailChanges {
			if c.User == of.ID {
				r.EmailChanges = append(r.EmailChanges, c)
			}
		}
		return nil
	})
	sortRecords(&r)
	return r, err
}

func sortRecords(r *auth.AccountRecords) {
	slices.SortFunc(r.KnownClients, func(a, b auth.KnownClient) int { return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Key, b.Key)) })
	slices.SortFunc(r.RememberedUntil, time.Time.Compare)
	slices.SortFunc(r.Registrations, func(a, b user.Registration) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.Invitations, func(a, b auth.Invitation) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.EmailChanges, func(a, b user.EmailChange) int { return cmp.Compare(a.ID, b.ID) })
}

// ListDevices implements auth.SessionStore.
func (s *Sessions) ListDevices(ctx context.Context, of user.ID) (all []auth.RecordedDevice, err error) {
	err = s.store.read(ctx, func() error {
		for d, at := range s.store.tables.auth.devices {
			if d.of == of {
				all = append(all, auth.RecordedDevice{Name: d.browser + " / " + d.os, FirstSeenAt: at})
			}
		}
		return nil
	})
	return all, err
}
