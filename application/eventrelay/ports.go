// Package eventrelay hands the events of auth and market to the inbox of the webhook
// service.
package eventrelay

import (
	"context"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Accept stores events durably in another store. It returns how many of them, from the first
// on, are stored, and the error of the next one. Events that were stored before count.
type Accept func(ctx context.Context, events []event.Stored) (int, error)

// Outbox holds the events of committed transactions until the inbox has stored them. Every
// adapter passes contract.Events.
type Outbox interface {
	// RelayEvents passes the oldest events, at most n, to accept in the order in which
	// they were added, and deletes those that accept has stored. It returns their
	// number. Of concurrent calls, in any process, one passes events; the others return
	// 0, and busy if there are events. After a crash in between accept gets the same events
	// again.
	RelayEvents(ctx context.Context, n int, accept Accept) (relayed int, busy bool, err error)
	// WaitForEvents returns when RelayEvents may find events: after a commit, of any process,
	// that has added some, and now and then in case its notification was lost; while busy every
	// second, because the process that passes them may end.
	WaitForEvents(ctx context.Context, busy bool)
}

// AcceptAll stores events of a source in their order. It returns how many of them, from the first on,
// are stored durably, and the error of the next one. See serving.Service.
type AcceptAll func(ctx context.Context, source string, events []webhook.Event) (int, error)
