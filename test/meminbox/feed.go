package meminbox

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/inbox"
)

// addToFeed gives the fresh ones of a batch their positions, in the order of their Seqs.
func (i *Inbox) addToFeed(b []inbox.Delivery, fresh []bool) {
	var seqs []int64
	for n, d := range b {
		if fresh[n] {
			seqs = append(seqs, d.Seq)
		}
	}
	slices.Sort(seqs)
	for _, seq := range seqs {
		i.position++
		i.positions[seq] = i.position
	}
}

// FeedEnd returns the last position.
func (i *Inbox) FeedEnd(ctx context.Context) (int64, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.position, ctx.Err()
}

// ReadFeed returns deliveries in the order of their positions.
func (i *Inbox) ReadFeed(ctx context.Context, after, end int64, limit int) ([]inbox.FeedDelivery, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var page []inbox.FeedDelivery
	for seq, d := range i.deliveries {
		if at := i.positions[seq]; d.Payload != nil && at > after && at <= end {
			d.Payload = nil
			page = append(page, inbox.FeedDelivery{Position: at, Delivery: d})
		}
	}
	slices.SortFunc(page, func(a, b inbox.FeedDelivery) int { return cmp.Compare(a.Position, b.Position) })
	return page[:min(limit, len(page))], ctx.Err()
}

// ReadPayload returns the payload of a delivery.
func (i *Inbox) ReadPayload(ctx context.Context, seq int64) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return bytes.Clone(i.deliveries[seq].Payload), ctx.Err()
}
