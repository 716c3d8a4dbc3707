package groupcommit

// SameBatch reports whether two callers shared a transaction.
func SameBatch(a, b *Tx) bool { return a.batch == b.batch }

// The limits.
const (
	MaxCallers = maxCallers
	MaxTime    = maxTime
	MaxWait    = maxWait
)
