package machines

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// Resources registers the APIs that machines call. Owners only.
type Resources struct{ *unit }

// Add registers a resource and returns it with its secret, which is shown this once. The id and the time are set here.
func (r *Resources) Add(ctx context.Context, by user.Caller, added machine.Resource) (machine.Resource, string, error) {
	all, err := r.List(ctx, by)
	if err == nil && len(all) >= machine.Max {
		err = machine.ErrTooMany
	}
	if err == nil {
		err = added.Validate()
	}
	if err == nil && (added.Identifier == r.Issuer || r.tokens.Reserves(added.Identifier)) {
		err = machine.ErrIdentifierTaken
	}
	if err != nil {
		return machine.Resource{}, "", err
	}
	secret, hash, err := r.newSecret()
	if err != nil {
		return machine.Resource{}, "", err
	}
	added.ID, added.CreatedAt, added.Secret = machine.ResourceID(id.Format(r.NextID())), r.Now(), machine.Secret{Hash: hash}
	err = r.Atomically(ctx, func(ctx context.Context, st *tx) error {
		if err := st.SaveResource(ctx, added); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, r.recordOf(by, "resource.added", added.ID, added.Name+": "+added.Identifier))
	})
	return added, secret, err
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
