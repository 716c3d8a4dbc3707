package groupcommit

// SameBatch reports whether two callers shared a transaction.
func SameBatch(a, b *Tx) bool { return a.batch == b.batch }

// The bounds.
const (
	MaxCallers = maxCallers
	MaxTime    = maxTime
	MaxWait    = maxWait
)
