package memstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/desk"
)

type deskTable struct{ table }

func (t deskTable) SaveDesk(_ context.Context, d desk.Desk, limit int) error {
	key := desk.Key(d.University)
	if _, known := t.desks[key]; !known && len(t.desks) >= limit {
		return desk.ErrTooMany
	}
	t.desks[key] = d
	return nil
}

func (t deskTable) DeleteDesk(_ context.Context, university string) error {
	key := desk.Key(university)
	if _, known := t.desks[key]; !known {
		return desk.ErrNotFound
	}
	delete(t.desks, key)
	return nil
}

// FindDesks is market.DeskReader.
func (m *Market) FindDesks(ctx context.Context, universities ...string) ([]desk.Desk, error) {
	return m.desks(ctx, len(universities), func(d desk.Desk) bool {
		return slices.ContainsFunc(universities, func(u string) bool { return desk.Key(u) == desk.Key(d.University) })
	})
}

// ListDesks is market.DeskReader.
func (m *Market) ListDesks(ctx context.Context, n int) ([]desk.Desk, error) {
	return m.desks(ctx, n, func(desk.Desk) bool { return true })
}

func (m *Market) desks(ctx context.Context, n int, pass func(desk.Desk) bool) ([]desk.Desk, error) {
	return rows(ctx, m, func(t *marketTables) []desk.Desk {
		return pick(t.desks, n, func(a, b desk.Desk) int { return cmp.Compare(desk.Key(a.University), desk.Key(b.University)) }, pass)
	})
}
