package market_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
)

// others are the other processes of a market.
type others struct {
	mu   sync.Mutex
	sent []user.ID
	wake chan []user.ID
}

func (o *others) Send(ids []user.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, ids...)
}

func (o *others) Receive(ctx context.Context, wake func([]user.ID)) {
	wake(nil)
	for {
		select {
		case <-ctx.Done():
			return
		case ids := <-o.wake:
			wake(ids)
		}
	}
}

func TestNotificationsWakeSubscribersInEveryProcess(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	signals, stop := b.Signals(ann)
	defer stop()
	o := &others{wake: make(chan []user.ID)}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { b.Deps.Notifier.Connect(ctx, o) })
	defer running.Wait()
	defer cancel()
	<-signals // signals may have been lost before
	o.wake <- []user.ID{bob.ID, ann.ID}
	<-signals
	b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 1000))
	<-signals
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Equal(o.sent, []user.ID{ann.ID}) {
		t.Errorf("the other processes receive %v", o.sent)
	}
}

var _ market.Signals = (*others)(nil)
