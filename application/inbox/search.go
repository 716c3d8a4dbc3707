package inbox

import (
	"bytes"
	"context"
	"errors"
	"strings"
)

// The limits of a search. What one call examines takes about a tenth of a second.
const (
	maxSearch        = 200 // bytes of Query.Text
	searchBatch      = 100
	maxSearched      = 2000     // deliveries
	maxSearchedBytes = 32 << 20 // of their payloads
)

// search returns the deliveries whose id or payload contains a text.
func (a *Admin) search(ctx context.Context, q Query) (page []Delivery, next int64, err error) {
	most := q.Limit
	exact, err := a.findExact(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if exact != nil && q.Before == 0 {
		page = append(page, *exact)
	}
	q.Limit = searchBatch
	for searched, size := 0, 0; searched < maxSearched && size < maxSearchedBytes; {
		batch, more, err := a.store.ListDeliveries(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range batch {
			found, n, err := a.contains(ctx, d, q.Text)
			if err != nil {
				return nil, 0, err
			}
			searched, size, q.Before = searched+1, size+n, d.Seq
			if found && (exact == nil || exact.Seq != d.Seq) {
				page = append(page, d)
			}
			if len(page) >= most || size >= maxSearchedBytes {
				return page, q.Before, nil
			}
		}
		if q.Before = more; more == 0 {
			return page, 0, nil
		}
	}
	return page, q.Before, nil
}

// findExact returns the delivery that has the text as its id and meets the other conditions, nil
// without one.
func (a *Admin) findExact(ctx context.Context, q Query) (*Delivery, error) {
	d, err := a.FindDelivery(ctx, q.Source, q.Text)
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrPayloadDamaged):
		return nil, nil //nolint:nilnil // none is no error
	case err != nil:
		return nil, err
	case !q.selects(d):
		return nil, nil //nolint:nilnil // none is no error
	}
	d.Payload, d.Attempts, d.Others = nil, nil, nil
	return &d, nil
}

// selects reports whether a delivery meets all conditions but Text and Before.
func (q Query) selects(d Delivery) bool {
	return (q.State == "" || d.State() == q.State) && (q.Event == "" || d.Event == q.Event) &&
		(q.From.IsZero() || !d.ReceivedAt.Before(q.From)) && (q.To.IsZero() || d.ReceivedAt.Before(q.To))
}

// contains reports whether a delivery's id or payload contains a text, and the size of what it
// has read.
func (a *Admin) contains(ctx context.Context, d Delivery, text string) (found bool, size int, err error) {
	if strings.Contains(d.ID, text) {
		return true, 0, nil
	}
	payload, err := a.store.ReadPayload(ctx, d.Seq)
	if err != nil && !errors.Is(err, ErrPayloadDamaged) {
		return false, 0, err
	}
	return bytes.Contains(payload, []byte(text)), len(payload), nil
}
