package machines

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// Resources registers the APIs that machines call. Owners only.
type Resources struct{ *unit }

// Add registers a resource and returns it with its secret, which is shown this once. The id and the time are set here.
func (r *Resources) Add(ctx context.Context, by user.Caller, added machine.Resource) (machine.Resource, string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return machine.Resource{}, "", err
	}
	if err := r.validate(added); err != nil {
		return machine.Resource{}, "", err
	}
	secret, hash, err := r.newSecret()
	if err != nil {
		return machine.Resource{}, "", err
	}
	added.ID, added.CreatedAt, added.Secret = machine.ResourceID(id.Format(r.NextID())), r.Now(), machine.Secret{Hash: hash}
	err = r.Atomically(ctx, func(ctx context.Context, st *tx) error {
		n, err := st.CountResources(ctx) // or two owners could both add the last one
		if err == nil && n >= machine.Max {
			err = machine.ErrTooMany
		}
		if err == nil {
			err = st.SaveResource(ctx, added)
		}
		if err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, r.recordOf(by, "resource.added", added.ID, added.Name+": "+added.Identifier))
	})
	if err != nil {
		return machine.Resource{}, "", err
	}
	return added, secret, nil
}

// validate also refuses the audiences of Octavo's own tokens.
func (r *Resources) validate(one machine.Resource) error {
	err := one.Validate()
	if err == nil && (one.Identifier == r.Issuer || r.tokens.Reserves(one.Identifier)) {
		err = machine.ErrIdentifierTaken
	}
	return err
}

// Update changes the name, the identifier or the scopes of a resource by change, which may run twice. Tokens lose the
// scopes that it has no longer, and with another identifier none of those from before is good for it.
func (r *Resources) Update(
	ctx context.Context, by user.Caller, resource string, change func(*machine.Resource),
) (after machine.Resource, err error) {
	if err := by.MustBe(user.Owner); err != nil {
		return machine.Resource{}, err
	}
	err = r.Atomically(ctx, func(ctx context.Context, st *tx) error {
		before, err := st.LockResource(ctx, resource)
		if err != nil {
			return err
		}
		after = before
		after.Scopes = slices.Clone(before.Scopes)
		change(&after)
		after.ID, after.CreatedAt, after.Secret = before.ID, before.CreatedAt, before.Secret
		if err = r.validate(after); err == nil {
			err = st.SaveResource(ctx, after)
		}
		if err != nil {
			return err
		}
		detail := after.Name + ": " + after.Identifier + " " + strings.Join(after.Scopes, " ")
		return st.RecordSideEffects(ctx, r.recordOf(by, "resource.changed", resource, detail))
	})
	if err != nil {
		return machine.Resource{}, err
	}
	return after, nil
}

// Find returns a resource; machine.ErrResourceNotFound for an unknown id.
func (r *Resources) Find(ctx context.Context, by user.Caller, resource string) (machine.Resource, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return machine.Resource{}, err
	}
	return r.reader.FindResource(ctx, resource)
}

// List returns all resources, oldest first.
func (r *Resources) List(ctx context.Context, by user.Caller) ([]machine.Resource, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return nil, err
	}
	return r.reader.ListResources(ctx)
}

// RenewSecret replaces the secret of a resource and returns the new one, which is shown this once; the old
// one works for the overlap.
func (r *Resources) RenewSecret(ctx context.Context, by user.Caller, resource string, overlap time.Duration) (string, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return "", err
	}
	secret, hash, err := r.newSecret()
	if err != nil {
		return "", err
	}
	err = r.Atomically(ctx, func(ctx context.Context, st *tx) error {
		found, err := st.LockResource(ctx, resource)
		if err == nil {
			err = found.Secret.Renew(hash, r.Now(), overlap)
		}
		if err == nil {
			err = st.SaveResource(ctx, found)
		}
		if err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, r.recordOf(by, "resource.secret_renewed", resource, found.Name))
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Remove deletes a resource and ends the sessions for it; it returns how many. Machines keep the rest of their resources.
func (r *Resources) Remove(ctx context.Context, by user.Caller, resource string) (ended int, err error) {
	if err := by.MustBe(user.Owner); err != nil {
		return 0, err
	}
	err = r.Atomically(ctx, func(ctx context.Context, st *tx) (err error) {
		if ended, err = st.DeleteResource(ctx, resource); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, r.recordOf(by, "resource.removed", resource, ""))
	})
	return ended, err
}
