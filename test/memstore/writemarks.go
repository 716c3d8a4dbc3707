package memstore

import (
	"context"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// WriteMarks implements market.WriteMarks.
type WriteMarks struct {
	maxLag time.Duration

	mu    sync.Mutex
	until map[user.ID]time.Time
}

// NewWriteMarks returns marks for standbys that are at most maxLag behind.
func NewWriteMarks(maxLag time.Duration) *WriteMarks {
	return &WriteMarks{maxLag: maxLag, until: map[user.ID]time.Time{}}
}

// MarkWriter implements market.WriteMarks.
func (m *WriteMarks) MarkWriter(_ context.Context, id user.ID, within time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if until := time.Now().Add(m.maxLag + within); until.After(m.until[id]) {
		m.until[id] = until
	}
	return nil
}

// IsMarked implements market.WriteMarks.
func (m *WriteMarks) IsMarked(_ context.Context, id user.ID) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.until[id]), nil
}
