package memstore

import (
	"context"
	"maps"

	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

type useKey struct {
	user  user.ID
	quota string
}

type quotaTable struct{ table }

func (t quotaTable) LockUse(_ context.Context, id user.ID, quota string) (limit.Use, error) {
	return t.uses[useKey{id, quota}], nil
}

func (t quotaTable) SaveUse(_ context.Context, id user.ID, quota string, u limit.Use) error {
	t.uses[useKey{id, quota}] = u
	return nil
}

func (t quotaTable) DeleteUses(_ context.Context, id user.ID) error {
	maps.DeleteFunc(t.uses, func(k useKey, _ limit.Use) bool { return k.user == id })
	return nil
}
