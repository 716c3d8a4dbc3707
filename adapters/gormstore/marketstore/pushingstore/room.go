// Package pushingstore stores the subscriptions of web push.
package pushingstore

import "github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"

// Reader implements pushing.Reader, together with the notifications of talkingstore.
type Reader struct{ *marketrows.Source }

// Store implements pushing.Store.
type Store struct{ marketrows.Handle }

// Open returns the room's store in a transaction.
func Open(c marketrows.Handle) Store { return Store{c} }

// NewReader returns the reader over a source.
func NewReader(of *marketrows.Source) Reader { return Reader{of} }
