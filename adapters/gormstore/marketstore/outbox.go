package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
)

// outbox implements what market.Stores sends.
type outbox struct {
	marketrows.Handle
	sealer outboxstore.Sealer
}

func (s outbox) AddMessages(ctx context.Context, all []message.Message) error {
	return outboxstore.AddMessages(s.Session.WithContext(ctx), s.sealer, all...)
}

func (s outbox) AddEvents(ctx context.Context, all []event.Event) error {
	return outboxstore.AddEvents(ctx, s.Session, all...)
}
