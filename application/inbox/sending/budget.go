package sending

import "sync/atomic"

// Budget bounds the payload bytes in memory.
type Budget struct {
	max  int64
	used atomic.Int64
}

// NewBudget returns the budget of so many bytes.
func NewBudget(most int64) *Budget { return &Budget{max: most} }

// Reserve reports whether n bytes were free. A payload larger than the whole
// budget passes when nothing else is reserved, so that it is not refused for ever.
func (m *Budget) Reserve(n int) bool {
	used := m.used.Add(int64(n))
	if used > m.max && used > int64(n) {
		m.Release(n)
		return false
	}
	return true
}

// Release gives back what was taken.
func (m *Budget) Release(n int) { m.used.Add(-int64(n)) }
