package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/market"
)

// outbox implements what market.Stores tells of a change.
type outbox struct {
	handle marketrows.Handle
	sealer outboxstore.Sealer
}

func (s outbox) RecordSideEffects(ctx context.Context, e market.SideEffects) error {
	if len(e.AuditEntries) > 0 {
		if err := authstore.AddAudit(s.handle.Session.WithContext(ctx), e.AuditEntries...); err != nil {
			return err
		}
	}
	if len(e.Events) > 0 {
		if err := outboxstore.AddEvents(ctx, s.handle.Session, e.Events...); err != nil {
			return err
		}
	}
	if len(e.Messages) == 0 {
		return nil
	}
	return outboxstore.AddMessages(s.handle.Session.WithContext(ctx), s.sealer, e.Messages...)
}
