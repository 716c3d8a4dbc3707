// Package talkingstore stores conversations, blocks and notifications.
package talkingstore

import "github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"

// Reader implements talking.Reader.
type Reader struct{ *marketrows.Source }

// Store implements talking.Store.
type Store struct {
	conversations
	blocks
	Notifications
}

// Open returns the room's store in a transaction.
func Open(c marketrows.Handle) Store {
	return Store{conversations{c}, blocks{c}, Notifications{c}}
}

// NewReader returns the reader over a source.
func NewReader(of *marketrows.Source) Reader { return Reader{of} }

// OpenNotifications returns what market.Stores notifies.
func OpenNotifications(c marketrows.Handle) Notifications { return Notifications{c} }
