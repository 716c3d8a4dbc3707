package market_test

import (
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
	wake func([]user.ID)
}

func (o *others) Send(ids []user.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, ids...)
}

func (o *others) Receive(wake func([]user.ID)) { o.wake = wake }

func TestNotificationsWakeSubscribersInEveryProcess(t *testing.T) {
	b := contract.NewMarketFixture(open(t))
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	signals, stop := b.Signals(ann)
	defer stop()
	o := &others{}
	b.Deps.Notifier.Connect(o)
	o.wake(nil)
	<-signals
	o.wake([]user.ID{bob.ID, ann.ID})
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
