package mailer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/must"
)

func TestAMessageIsPublishedAtOnceAndItsCodeErased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{}
		b := start(t, c, mailer.DefaultConfig())
		defer b.stop()
		synctest.Wait()
		began := time.Now()
		b.add(t, message.Message{ID: 1, Kind: message.Verification, To: "ann@x.edu", Code: "12345678"})
		synctest.Wait()
		if got := c.ids(); !slices.Equal(got, []int64{1}) || time.Since(began) != 0 {
			t.Errorf("published %v after %v", got, time.Since(began))
		}
		if c.first().Code != "12345678" {
			t.Error("the code was lost on the way")
		}
		if stats := b.stats(t); stats != (mailer.OutboxStats{}) {
			t.Errorf("stats = %+v", stats)
		}
	})
}

func TestAMailLinksToThePageOfItsKindUnlessItHasALink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{}
		b := start(t, c, mailer.BulkConfig())
		defer b.stop()
		b.add(t, message.Message{ID: 1, Kind: message.BookSold, To: "ann@x.edu"}, message.Message{ID: 2, Kind: message.BookSold, To: "ann@x.edu", Link: "https://octavo.example/own"},
			message.Message{ID: 3, Kind: message.PasswordChanged, To: "ann@x.edu"})
		synctest.Wait()
		links := map[int64]string{}
		for _, m := range c.published {
			links[m.ID] = m.Link
		}
		if links[1] != "https://octavo.example/sales" || links[2] != "https://octavo.example/own" || links[3] != "" {
			t.Errorf("the links are %v", links)
		}
	})
}

func TestAFailedMessageIsRetriedForADayAndThenGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{fail: func(int, message.Message) error { return errors.New("451 greylisted") }}
		b := start(t, c, oneWorker())
		began := time.Now()
		b.add(t, sale(1))
		time.Sleep(36 * time.Hour)
		b.stop()
		attempts, last := c.count()
		if attempts != 36 {
			t.Errorf("%d attempts, want 36", attempts)
		}
		if took := last.Sub(began); took < 20*time.Hour || took > 32*time.Hour {
			t.Errorf("given up after %v", took)
		}
		if stats := b.stats(t); stats.Dead != 1 || stats.Waiting != 0 {
			t.Errorf("stats = %+v", stats)
		}
		if !strings.Contains(b.log.String(), "greylisted") {
			t.Errorf("the log does not mention the failure: %s", b.log)
		}
	})
}

// The mail server defers the first code several times and then recovers. A person who
// asks for another code meanwhile must not wait for the first one's next attempt.
func TestANewCodeIsSentAtOnceWhileAnOlderOneWaitsForARetry(t *testing.T) {
	for _, kind := range []message.Kind{message.PasswordReset, message.Verification, message.Invitation} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			c := &publisher{fail: func(int, message.Message) error {
				if time.Since(began) < 5*time.Minute {
					return errors.New("451 greylisted")
				}
				return nil
			}}
			b := start(t, c, mailer.DefaultConfig())
			defer b.stop()
			b.add(t, message.Message{ID: 1, Kind: kind, To: "ann@x.edu", Code: "11111111", ExpiresAt: began.Add(10 * time.Minute)})
			time.Sleep(6 * time.Minute)
			if attempts, _ := c.count(); attempts == 0 || len(c.ids()) != 0 {
				t.Fatalf("%s: %d attempts, published %v", kind, attempts, c.ids())
			}
			b.add(t, message.Message{ID: 2, Kind: kind, To: "ann@x.edu", Code: "22222222", ExpiresAt: began.Add(16 * time.Minute)})
			time.Sleep(5 * time.Second)
			if got := c.ids(); !slices.Equal(got, []int64{1, 2}) {
				t.Errorf("%s: published %v", kind, got)
			}
		})
	}
}

func TestAPermanentFailureOrAnExpiredMessageIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{fail: func(int, message.Message) error { return fmt.Errorf("550 no such user: %w", mailer.ErrPermanent) }}
		b := start(t, c, oneWorker())
		defer b.stop()
		late := message.Message{ID: 2, Kind: message.PasswordReset, To: "bob@x.edu", Code: "12345678", ExpiresAt: time.Now()}
		b.add(t, sale(1), late)
		time.Sleep(time.Hour)
		if attempts, _ := c.count(); attempts != 1 {
			t.Errorf("%d attempts, want 1", attempts)
		}
		if stats := b.stats(t); stats.Dead != 2 {
			t.Errorf("stats = %+v", stats)
		}
	})
}

func TestWhileTheReceiverIsUnreachableNoAttemptCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(24 * time.Hour)
		c := &publisher{fail: func(int, message.Message) error {
			if time.Now().Before(back) {
				return fmt.Errorf("dial: %w", mailer.ErrUnreachable)
			}
			return nil
		}}
		config := oneWorker()
		b := start(t, c, config)
		defer b.stop()
		for i := range 20 {
			b.add(t, sale(int64(i+1)))
		}
		time.Sleep(time.Minute)
		if b.relay.Check(t.Context()) == nil {
			t.Error("the check hides that messages wait")
		}
		before, _ := c.count()
		time.Sleep(time.Hour)
		after, _ := c.count()
		if batches := (after - before) / config.BatchSize; batches > 200 {
			t.Errorf("%d batches an hour to an unreachable server", batches)
		}
		time.Sleep(24 * time.Hour)
		if got := len(c.ids()); got != 20 || b.stats(t).Dead != 0 {
			t.Errorf("%d of 20 were published, %+v", got, b.stats(t))
		}
		if err := b.relay.Check(t.Context()); err != nil {
			t.Errorf("the check still fails: %v", err)
		}
	})
}

// brokenOutbox is an outbox whose database is unavailable until back.
type brokenOutbox struct {
	*outbox
	back time.Time
}

func (b brokenOutbox) ClaimMessages(ctx context.Context, now, until time.Time, n int) ([]mailer.ClaimedMessage, time.Time, error) {
	if time.Now().Before(b.back) {
		return nil, time.Time{}, errors.New("no database")
	}
	return b.outbox.ClaimMessages(ctx, now, until, n)
}

func TestTheRelayWaitsForAnUnavailableDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{}
		outbox := newOutbox()
		must.Do(t, outbox.AddMessages(t.Context(), sale(1)))
		b := startOn(t, brokenOutbox{outbox, time.Now().Add(time.Hour)}, c, mailer.DefaultConfig())
		defer b.stop()
		time.Sleep(time.Minute)
		if b.relay.Check(t.Context()) == nil {
			t.Error("the check hides that messages wait")
		}
		time.Sleep(time.Hour)
		if got := c.ids(); len(got) != 1 || b.relay.Check(t.Context()) != nil {
			t.Errorf("published %v, %v", got, b.relay.Check(t.Context()))
		}
	})
}

func TestTheCheckPassesAgainWhenNoMessageWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{fail: func(int, message.Message) error { return mailer.ErrUnreachable }}
		b := start(t, c, mailer.DefaultConfig())
		defer b.stop()
		b.add(t, message.Message{ID: 1, Kind: message.PasswordReset, To: "ann@x.edu", Code: "12345678", ExpiresAt: time.Now().Add(10 * time.Minute)})
		time.Sleep(time.Minute)
		if b.relay.Check(t.Context()) == nil {
			t.Error("the check hides that a message waits")
		}
		time.Sleep(15 * time.Minute)
		if err := b.relay.Check(t.Context()); err != nil || b.stats(t).Dead != 1 {
			t.Errorf("check: %v, %+v", err, b.stats(t))
		}
	})
}

func TestUnsubscribingStopsOptionalMailsAndNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{}
		b := start(t, c, mailer.DefaultConfig())
		defer b.stop()
		match := message.Message{ID: 1, Kind: message.MatchFound, To: "ann@x.edu", Params: map[string]string{message.ParamBook: "Algebra"}}
		b.add(t, match)
		synctest.Wait()
		link := c.first().Params[message.ParamStop]
		token, found := strings.CutPrefix(link, "https://octavo.example/unsubscribe?token=")
		if !found {
			t.Fatalf("link = %q", link)
		}
		if _, touched := match.Params[message.ParamStop]; touched {
			t.Error("the caller's parameters were changed")
		}
		for range 2 {
			must.Get(b.unsubscriber.Unsubscribe(t.Context(), token))(t)
		}
		match.ID = 2
		other := match
		other.ID, other.To = 3, "bob@x.edu"
		b.add(t, match, other, sale(4))
		time.Sleep(time.Second)
		b.stop()
		got := c.ids()
		slices.Sort(got)
		if !slices.Equal(got, []int64{1, 3, 4}) {
			t.Errorf("published %v", got)
		}
		if c.published[len(c.published)-1].Kind == message.BookSold && c.published[len(c.published)-1].Params[message.ParamStop] != "" {
			t.Error("a mail about an order has an unsubscribe link")
		}
	})
}

func TestTheLinkInAMailAboutASubscriptionEndsOnlyThatSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &publisher{}
		b := start(t, c, mailer.DefaultConfig())
		defer b.stop()
		hit := message.Message{ID: 1, Kind: message.SearchHit, To: "ann@x.edu", Params: map[string]string{message.ParamSubscription: "search:7"}}
		b.add(t, hit)
		synctest.Wait()
		token, _ := strings.CutPrefix(c.first().Params[message.ParamStop], "https://octavo.example/unsubscribe?token=")
		for range 2 {
			if stop, err := b.unsubscriber.Unsubscribe(t.Context(), token); err != nil || stop != (mailer.Stop{Subscription: "search:7"}) {
				t.Fatalf("stops %+v, %v", stop, err)
			}
		}
		if !slices.Equal(b.ended, []string{"search:7", "search:7"}) {
			t.Errorf("ended %q", b.ended)
		}
		hit.ID = 2
		b.add(t, hit)
		time.Sleep(time.Second)
		b.stop()
		if got := c.ids(); !slices.Equal(got, []int64{1, 2}) { // the market decides about later ones
			t.Errorf("published %v", got)
		}
	})
}

func TestAForgedUnsubscribeLinkIsRefused(t *testing.T) {
	o := newOutbox()
	u := mailer.NewUnsubscriber(o, nil, openSealer{}, wallClock{}.Now, "")
	for _, token := range []string{"", "!", "YW5uQHguZWR1", "=="} {
		must.Refuse(t, must.Err(u.Unsubscribe(t.Context(), token)), mailer.ErrInvalidLink, token)
	}
}
