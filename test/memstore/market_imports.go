package memstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

type importTable struct{ table }

func (t importTable) SaveImport(_ context.Context, i market.StoredImport, lines []market.ImportLine) error {
	t.imports[i.Owner], t.importLines[i.Owner] = i, lines
	return nil
}

func (t importTable) LockImport(_ context.Context, owner user.ID) (market.StoredImport, error) {
	i, ok := t.imports[owner]
	if !ok {
		return i, market.ErrImportNotFound
	}
	return i, nil
}

func (t importTable) UpdateImport(_ context.Context, i market.StoredImport) error {
	if stored, ok := t.imports[i.Owner]; ok && stored.ID == i.ID {
		stored.State, stored.Posted = i.State, i.Posted
		t.imports[i.Owner] = stored
	}
	return nil
}

func (t importTable) TakeImportLines(_ context.Context, owner user.ID, n int) ([]market.ImportLine, error) {
	lines := t.importLines[owner]
	n = min(n, len(lines))
	t.importLines[owner] = lines[n:]
	return lines[:n:n], nil
}

func (t importTable) DeleteImportOf(_ context.Context, owner user.ID) error {
	delete(t.imports, owner)
	delete(t.importLines, owner)
	return nil
}

func (t importTable) DeleteImportsBefore(ctx context.Context, then time.Time, n int) (int, error) {
	old := pick(t.imports, n, func(a, b market.StoredImport) int { return a.CreatedAt.Compare(b.CreatedAt) }, func(i market.StoredImport) bool {
		return i.State != market.ImportRunning && i.CreatedAt.Before(then)
	})
	for _, i := range old {
		_ = t.DeleteImportOf(ctx, i.Owner)
	}
	return len(old), nil
}

// FindImport is market.ImportReader.
func (m *Market) FindImport(ctx context.Context, owner user.ID) (i market.StoredImport, err error) {
	err = m.s.read(ctx, func() error {
		i, err = importTable{table{&m.s.tables.market}}.LockImport(ctx, owner)
		return err
	})
	return i, err
}
