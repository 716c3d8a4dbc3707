package mailer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/must"
)

func TestStoppingFinishesTheBatchInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{fail: func(int, message.Message) error { time.Sleep(5 * time.Second); return nil }}
		b := start(t, c, mailer.DefaultConfig())
		b.add(t, sale(1))
		time.Sleep(time.Second)
		b.stop()
		if stats := b.stats(t); len(c.ids()) != 1 || stats.Waiting != 0 {
			t.Errorf("published %v, %+v", c.ids(), stats)
		}
	})
}

func TestAMessageInFlightIsNotClaimedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{fail: func(int, message.Message) error { time.Sleep(50 * time.Second); return nil }}
		b := start(t, c, mailer.DefaultConfig())
		defer b.stop()
		b.add(t, sale(1))
		for range 45 {
			time.Sleep(time.Second)
			if got, _, err := b.ClaimMessages(t.Context(), time.Now(), time.Now().Add(time.Minute), 1); err != nil || len(got) != 0 {
				t.Fatalf("claimed %v, %v", got, err)
			}
		}
		time.Sleep(time.Minute)
		if attempts, _ := c.count(); attempts != 1 || b.stats(t).Waiting != 0 {
			t.Errorf("%d attempts, %+v", attempts, b.stats(t))
		}
	})
}

func TestMessagesOfACrashedRelayAreSentSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outbox := newOutbox()
		must.Do(t, outbox.AddMessages(t.Context(), sale(1)))
		config := mailer.DefaultConfig()
		if _, _, err := outbox.ClaimMessages(t.Context(), time.Now(), time.Now().Add(config.Lease), 1); err != nil {
			t.Fatal(err)
		}
		c := &publisher{}
		b := startOn(t, outbox, c, config)
		defer b.stop()
		time.Sleep(15 * time.Second)
		if got := c.ids(); len(got) != 1 {
			t.Errorf("published %v", got)
		}
	})
}

// stuckPublisher blocks until its context ends.
type stuckPublisher struct{}

func (stuckPublisher) PublishMessages(ctx context.Context, messages []message.Message) []error {
	<-ctx.Done()
	errs := make([]error, len(messages))
	for i := range errs {
		errs[i] = ctx.Err()
	}
	return errs
}

func TestABatchThatExceedsTheShutdownGraceIsLeftToTheNextProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, stuckPublisher{}, mailer.DefaultConfig())
		b.add(t, sale(1))
		time.Sleep(time.Second)
		began := time.Now()
		b.stop()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the stop took %v", took)
		}
		now := time.Now()
		got, _, err := b.ClaimMessages(t.Context(), now, now.Add(time.Minute), 1)
		if err != nil || len(got) != 1 || got[0].Attempt != 1 {
			t.Errorf("claimed %v, %v", got, err)
		}
	})
}

func TestMessagesSettledLongAgoAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outbox := newOutbox()
		day := 24 * time.Hour
		addSettled := func(id int64, o mailer.Outcome, ago time.Duration) {
			must.Do(t, outbox.AddMessages(t.Context(), sale(id)))
			must.Do(t, outbox.SettleMessages(t.Context(), time.Now().Add(-ago), []mailer.Result{{Message: mailer.ClaimedMessage{Message: sale(id)}, Outcome: o}}))
		}
		for i := range 600 {
			addSettled(int64(i+1), mailer.Sent, 8*day)
		}
		addSettled(1000, mailer.Dead, 8*day)
		addSettled(1001, mailer.Dead, 91*day)
		addSettled(1002, mailer.Sent, 6*day)
		b := startOn(t, outbox, &publisher{}, mailer.DefaultConfig())
		defer b.stop()
		must.Do(t, b.relay.DeleteOldMessages(t.Context()))
		if left, err := b.DeleteSettledMessages(t.Context(), time.Now(), time.Now(), 10); err != nil || left != 2 {
			t.Errorf("%d recent messages are left, %v; want 2", left, err)
		}
	})
}

func TestAConfigThatCannotWorkIsRefused(t *testing.T) {
	for _, config := range []mailer.Config{{}, {Workers: 1, BatchSize: 1}, {Workers: 1, BatchSize: -1, Lease: time.Minute}} {
		if _, err := mailer.NewRelay(mailer.Deps{}, nil, nil, nil, config); err == nil {
			t.Errorf("%+v was published", config)
		}
	}
}
