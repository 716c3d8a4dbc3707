// Package market is the marketplace: posting, requesting, searching and buying
// books, and what follows from a sale. Its types are the use cases. The files
// named ports*.go declare what the use cases need from adapters.
package market

import (
	"context"
	"time"
)

// Clock tells the time in UTC.
type Clock interface{ Now() time.Time }

// IDs generates positive ids, each higher than those before it.
type IDs interface{ Next() int64 }

// Store runs transactions on the market's data.
type Store interface {
	// Atomically runs do in one transaction. It commits when do returns nil; otherwise it
	// rolls back and returns the error of do unchanged. Concurrent transactions behave as
	// if they ran one after the other. do may run more than once, so it must have no
	// effect except through the stores.
	Atomically(ctx context.Context, do func(context.Context, Stores) error) error
}

// Stores are what one transaction may change. They are valid only within it.
//
// A row that a Lock method returns stays locked until the transaction ends: other
// transactions wait before they change or lock it.
type Stores struct {
	Books           BookStore
	Users           UserStore
	Notifications   NotificationStore
	Outbox          Outbox
	Digests         DigestStore
	AuditLog        AuditLog
	Jobs            JobStore
	IdempotencyKeys IdempotencyStore
	Quotas          QuotaStore
	Currencies      CurrencyStore

	// Handle is the transaction of the adapter, of which it makes the stores of rooms.
	Handle any
	// OnCommit calls do after the commit, or never if there is none. do must not use the
	// stores.
	OnCommit func(do func())
}
