package contract

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// OutboxStore is an outbox with its opt-outs, and with what other stores do to it in
// their transactions.
type OutboxStore interface {
	mailer.Outbox
	mailer.OptOutStore
	AddMessages(ctx context.Context, messages ...message.Message) error
	// EraseRecipients erases people. Dead letters are still counted.
	EraseRecipients(ctx context.Context, emails ...user.Email) error
}

// monday is the time at which the suites begin.
var monday = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

const lease = time.Minute

// Outbox checks the promises of mailer.Outbox. open returns an empty outbox.
func Outbox(t *testing.T, open func(t *testing.T) OutboxStore) {
	for name, test := range map[string]func(*testing.T, OutboxStore){
		"a message comes back whole":                                  messagesComeBackWhole,
		"a claimed message is not claimed again until the lease ends": leasedMessagesAreClaimedOnce,
		"urgent messages come first, then those that are due longest": urgentMessagesComeFirst,
		"a newer code waits for the older one that is being sent":     newerCodesWaitForOlderOnes,
		"an older code that failed delays no newer one":               failedMessagesDelayNoNewerOne,
		"an older code that expired delays no newer one":              expiredMessagesDelayNoNewerOne,
		"an older code that failed is retried before a newer one":     failedMessagesAreRetriedBeforeNewerOnes,
		"a settled message never comes back":                          settledMessagesNeverComeBack,
		"a message to be retried comes back when it is due":           retriedMessagesComeBackWhenDue,
		"a worker that lost the lease cannot put a message back":      lostLeasesChangeNothing,
		"many workers claim each message once":                        workersShareMessages,
		"only messages settled long ago are deleted":                  onlyOldSettledMessagesAreDeleted,
		"the stats count waiting messages and dead letters":           statsCountWaitingAndDead,
		"an erased recipient gets no mail any more":                   erasedRecipientsGetNoMail,
		"adding messages and putting them off wakes":                  addingMessagesWakes,
		"an empty claim says when a message is due":                   emptyClaimsSayWhatIsNext,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func msg(id int64, kind message.Kind, to user.Email) message.Message {
	return message.Message{ID: id, Kind: kind, To: to, Lang: user.EN, CreatedAt: monday}
}

func messagesComeBackWhole(t *testing.T, o OutboxStore) {
	in := message.Message{
		ID: 7, Kind: message.Verification, To: "zoë@rochester.edu", Lang: user.FR, Code: "01234567", Link: "https://octavo.example/?a=1&b=2",
		Params: map[string]string{message.ParamBook: "L’été \U0001F4DA \"<b>\"", message.ParamIP: "::1"}, CreatedAt: monday, ExpiresAt: monday.Add(time.Hour),
	}
	add(t, o, in, msg(8, message.BookSold, "b@x.edu"))
	got := claim(t, o, monday, 10)
	if len(got) != 2 {
		t.Fatalf("claimed %d, want 2", len(got))
	}
	out := got[0]
	if out.Err != nil || out.Attempt != 1 {
		t.Errorf("attempt %d, %v", out.Attempt, out.Err)
	}
	if fmt.Sprint(out.Message) != fmt.Sprint(in) {
		t.Errorf("in  %v\nout %v", in, out.Message)
	}
	if bare := got[1]; bare.Code != "" || bare.Link != "" || len(bare.Params) != 0 || !bare.ExpiresAt.IsZero() {
		t.Errorf("a message without extras came back as %+v", bare)
	}
}

func leasedMessagesAreClaimedOnce(t *testing.T, o OutboxStore) {
	add(t, o, msg(1, message.BookSold, "a@x.edu"))
	if early := claim(t, o, monday.Add(-time.Second), 10); len(early) != 0 {
		t.Errorf("claimed before it was due: %v", early)
	}
	claim(t, o, monday, 10)
	if again := claim(t, o, monday.Add(lease-time.Second), 10); len(again) != 0 {
		t.Errorf("claimed under lease: %v", again)
	}
	again := claim(t, o, monday.Add(lease), 10)
	if len(again) != 1 || again[0].Attempt != 2 {
		t.Errorf("after the lease: %v", again)
	}
}

func urgentMessagesComeFirst(t *testing.T, o OutboxStore) {
	late := msg(1, message.MatchFound, "a@x.edu")
	late.CreatedAt = monday.Add(time.Minute)
	add(t, o, late, msg(2, message.BookSold, "a@x.edu"), msg(3, message.MatchFound, "b@x.edu"), msg(4, message.PasswordReset, "c@x.edu"))
	now := monday.Add(time.Hour)
	for _, want := range []int64{4, 2, 3, 1} {
		got := claim(t, o, now, 1)
		if len(got) != 1 || got[0].ID != want {
			t.Fatalf("claimed %v, want %d", got, want)
		}
	}
}

func newerCodesWaitForOlderOnes(t *testing.T, o OutboxStore) {
	add(t, o, msg(1, message.Verification, "a@x.edu"), msg(2, message.Verification, "a@x.edu"),
		msg(3, message.PasswordReset, "a@x.edu"), msg(4, message.Verification, "b@x.edu"))
	first := claim(t, o, monday, 10)
	if got := ids(first); !slices.Equal(got, []int64{1, 3, 4}) {
		t.Fatalf("claimed %v", got)
	}
	settle(t, o, monday, mailer.Result{Message: first[0], Outcome: mailer.Retry, RetryAt: monday.Add(time.Hour), Attempt: 1}, // sending takes long
		mailer.Result{Message: first[1], Outcome: mailer.Sent}, mailer.Result{Message: first[2], Outcome: mailer.Sent})
	if got := claim(t, o, monday, 10); len(got) != 0 {
		t.Errorf("overtaken by %v", ids(got))
	}
	if got := ids(claim(t, o, monday.Add(time.Hour), 10)); !slices.Equal(got, []int64{1}) { // its sender has crashed
		t.Errorf("after the lease came %v", got)
	}
	settle(t, o, monday, mailer.Result{Message: first[0], Outcome: mailer.Sent})
	if got := ids(claim(t, o, monday.Add(time.Second), 10)); !slices.Equal(got, []int64{2}) {
		t.Errorf("then came %v", got)
	}
}

// fail claims the one message that is due and settles it as failed, to be retried in an
// hour.
func fail(t *testing.T, o mailer.Outbox, now time.Time, want int64) {
	t.Helper()
	got := claim(t, o, now, 10)
	if len(got) != 1 || got[0].ID != want {
		t.Fatalf("claimed %v, want %d", ids(got), want)
	}
	settle(t, o, now, mailer.Result{Message: got[0], Outcome: mailer.Retry, RetryAt: now.Add(time.Hour), Attempt: got[0].Attempt, Reason: "try later"})
}

func failedMessagesDelayNoNewerOne(t *testing.T, o OutboxStore) {
	for i, kind := range []message.Kind{message.PasswordReset, message.Verification, message.Invitation, message.NewSession} {
		older, newer := int64(10*i+1), int64(10*i+2)
		add(t, o, msg(older, kind, "a@x.edu"), msg(newer, kind, "a@x.edu"))
		fail(t, o, monday, older)
		fail(t, o, monday, newer)
	}
}

func expiredMessagesDelayNoNewerOne(t *testing.T, o OutboxStore) {
	later := monday.Add(10 * time.Minute)
	older, newer := msg(1, message.PasswordReset, "a@x.edu"), msg(2, message.PasswordReset, "a@x.edu")
	older.ExpiresAt, newer.CreatedAt = later, later
	add(t, o, older, newer)
	if got := ids(claim(t, o, later, 10)); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("claimed %v", got)
	}
}

func failedMessagesAreRetriedBeforeNewerOnes(t *testing.T, o OutboxStore) {
	later := monday.Add(time.Minute)
	add(t, o, msg(1, message.PasswordReset, "a@x.edu"))
	fail(t, o, monday, 1)
	for id, to := range map[int64]user.Email{2: "b@x.edu", 3: "a@x.edu"} {
		newer := msg(id, message.Verification, to) // to somebody else, or of another kind
		if id == 2 {
			newer.Kind = message.PasswordReset
		}
		newer.CreatedAt = later
		add(t, o, newer)
	}
	if got := ids(claim(t, o, later, 10)); !slices.Equal(got, []int64{2, 3}) {
		t.Errorf("claimed %v: an unrelated message changed the wait", got)
	}
	newer := msg(4, message.PasswordReset, "a@x.edu")
	newer.CreatedAt = later
	add(t, o, newer)
	fail(t, o, later, 1)
	fail(t, o, later, 4)
}

func settledMessagesNeverComeBack(t *testing.T, o OutboxStore) {
	for i, outcome := range []mailer.Outcome{mailer.Sent, mailer.Dead, mailer.OptedOut} {
		add(t, o, msg(int64(i+1), message.BookSold, "a@x.edu"))
		got := claim(t, o, monday, 10)
		settle(t, o, monday, mailer.Result{Message: got[0], Outcome: outcome, Reason: "line\nand \xff and \x00"})
		if again := claim(t, o, monday.Add(time.Hour), 10); len(again) != 0 {
			t.Errorf("%s: came back: %v", outcome, again)
		}
		settle(t, o, monday, mailer.Result{Message: got[0], Outcome: mailer.Retry, RetryAt: monday, Attempt: 1})
		if again := claim(t, o, monday.Add(time.Hour), 10); len(again) != 0 {
			t.Errorf("%s: brought back: %v", outcome, again)
		}
	}
}

func retriedMessagesComeBackWhenDue(t *testing.T, o OutboxStore) {
	m := msg(1, message.Invitation, "a@x.edu")
	m.Link = "https://octavo.example/i"
	add(t, o, m)
	settle(t, o, monday, mailer.Result{Message: claim(t, o, monday, 1)[0], Outcome: mailer.Retry, RetryAt: monday.Add(time.Hour), Attempt: 0, Reason: "busy"})
	if early := claim(t, o, monday.Add(time.Hour-time.Second), 10); len(early) != 0 {
		t.Errorf("came back early: %v", early)
	}
	got := claim(t, o, monday.Add(time.Hour), 10)
	if len(got) != 1 || got[0].Attempt != 1 || got[0].Link != m.Link {
		t.Errorf("came back as %+v", got)
	}
}

func lostLeasesChangeNothing(t *testing.T, o OutboxStore) {
	add(t, o, msg(1, message.BookSold, "a@x.edu"))
	lost := claim(t, o, monday, 1)[0]
	mine := claim(t, o, monday.Add(lease), 1)[0]
	settle(t, o, monday, mailer.Result{Message: lost, Outcome: mailer.Retry, RetryAt: monday, Attempt: 0})
	if got := claim(t, o, monday.Add(lease), 10); len(got) != 0 {
		t.Errorf("put back without a lease: %v", got)
	}
	settle(t, o, monday, mailer.Result{Message: lost, Outcome: mailer.Sent})
	settle(t, o, monday, mailer.Result{Message: mine, Outcome: mailer.Retry, RetryAt: monday, Attempt: 1})
	if got := claim(t, o, monday.Add(time.Hour), 10); len(got) != 0 {
		t.Errorf("a sent message came back: %v", got)
	}
}

func workersShareMessages(t *testing.T, o OutboxStore) {
	const messages, workers = 60, 6
	for i := range messages {
		add(t, o, msg(int64(i+1), message.BookSold, "a@x.edu"))
	}
	var mu sync.Mutex
	var all []int64
	must.Together(workers, func(int) {
		for range messages {
			got, _, err := o.ClaimMessages(t.Context(), monday, monday.Add(lease), 4)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			all = append(all, ids(got)...)
			done := len(all) >= messages
			mu.Unlock()
			if done {
				return
			}
		}
	})
	slices.Sort(all)
	if len(all) != messages || len(slices.Compact(all)) != messages {
		t.Errorf("claimed %d: %v", len(all), all)
	}
}

func onlyOldSettledMessagesAreDeleted(t *testing.T, o OutboxStore) {
	outcomes := []mailer.Outcome{mailer.Sent, mailer.OptedOut, mailer.Dead, mailer.Retry}
	for i, outcome := range outcomes {
		add(t, o, msg(int64(i+1), message.BookSold, "a@x.edu"))
		settle(t, o, monday, mailer.Result{Message: claim(t, o, monday, 1)[0], Outcome: outcome, RetryAt: monday.Add(time.Hour)})
	}
	for _, step := range []struct {
		sent, dead time.Time
		n, want    int
	}{
		{monday, monday, 10, 0},
		{monday.Add(time.Second), monday, 1, 1},
		{monday.Add(time.Second), monday, 10, 1},
		{monday, monday.Add(time.Second), 10, 1},
		{monday.Add(time.Hour), monday.Add(time.Hour), 10, 0},
	} {
		got, err := o.DeleteSettledMessages(t.Context(), step.sent, step.dead, step.n)
		if err != nil || got != step.want {
			t.Errorf("%+v: deleted %d, %v; want %d", step, got, err, step.want)
		}
	}
	if got := claim(t, o, monday.Add(time.Hour), 10); len(got) != 1 {
		t.Errorf("waiting: %v", got)
	}
}

func statsCountWaitingAndDead(t *testing.T, o OutboxStore) {
	stats := func() mailer.OutboxStats {
		t.Helper()
		return must.Get(o.ReadStats(t.Context()))(t)
	}
	if c := stats(); c != (mailer.OutboxStats{}) {
		t.Errorf("empty: %+v", c)
	}
	later := msg(1, message.BookSold, "a@x.edu")
	later.CreatedAt = monday.Add(time.Minute)
	add(t, o, later, msg(2, message.BookSold, "a@x.edu"), msg(3, message.Verification, "a@x.edu"))
	settle(t, o, monday, mailer.Result{Message: claim(t, o, monday, 1)[0], Outcome: mailer.Dead})
	claim(t, o, monday, 1) // a message under lease still waits
	if c := stats(); c != (mailer.OutboxStats{Waiting: 2, Dead: 1, Oldest: monday}) {
		t.Errorf("%+v", c)
	}
}

func erasedRecipientsGetNoMail(t *testing.T, o OutboxStore) {
	for i, outcome := range []mailer.Outcome{mailer.Sent, mailer.OptedOut, mailer.Dead} {
		add(t, o, msg(int64(i+1), message.BookSold, "ann@x.edu"))
		settle(t, o, monday, mailer.Result{Message: claim(t, o, monday, 1)[0], Outcome: outcome})
	}
	add(t, o, msg(4, message.BookSold, "ann@x.edu"))
	sending := claim(t, o, monday, 1)[0]
	add(t, o, msg(5, message.PasswordReset, "ann@x.edu"), msg(6, message.BookSold, "bob@x.edu"), msg(7, message.BookSold, "eve@x.edu"))
	for _, email := range []user.Email{"ann@x.edu", "bob@x.edu"} {
		must.Do(t, o.AddOptOut(t.Context(), email, monday))
	}
	must.Do(t, o.EraseRecipients(t.Context(), "ann@x.edu", "eve@x.edu", "nobody@x.edu"))
	settle(t, o, monday, mailer.Result{Message: sending, Outcome: mailer.Retry, RetryAt: monday, Attempt: 1})
	if got := ids(claim(t, o, monday.Add(time.Hour), 10)); !slices.Equal(got, []int64{6}) {
		t.Errorf("still to be sent: %v", got)
	}
	optedOut, err := o.FindOptOuts(t.Context(), []user.Email{"ann@x.edu", "bob@x.edu"})
	if err != nil || optedOut["ann@x.edu"] || !optedOut["bob@x.edu"] {
		t.Errorf("opted out: %v, %v", optedOut, err)
	}
	if c, err := o.ReadStats(t.Context()); err != nil || c.Dead != 1 || c.Waiting != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if err := o.EraseRecipients(t.Context()); err != nil {
		t.Errorf("erasing no recipients: %v", err)
	}
}

func addingMessagesWakes(t *testing.T, o OutboxStore) {
	wait := func(ctx context.Context) { o.WaitForMessages(ctx, time.Time{}) }
	wakes(t, "adding messages", wait, func() { add(t, o, msg(1, message.BookSold, "a@x.edu"), msg(2, message.BookSold, "a@x.edu")) })
	claimed := claim(t, o, monday, 1)
	wakes(t, "putting a message off", wait, func() {
		settle(t, o, monday, mailer.Result{Message: claimed[0], Outcome: mailer.Retry, RetryAt: monday.Add(time.Hour), Attempt: 1, Reason: "451"})
	})
	wakes(t, "WakeWaiting", wait, o.WakeWaiting)
	wakes(t, "a time that has come", func(ctx context.Context) { o.WaitForMessages(ctx, time.Now().Add(time.Millisecond)) }, func() {})
}

// A code whose older one is being sent is due, but is not claimed.
func emptyClaimsSayWhatIsNext(t *testing.T, o OutboxStore) {
	next := func(now time.Time) time.Time {
		t.Helper()
		claimed, next, err := o.ClaimMessages(t.Context(), now, now.Add(lease), 5)
		if err != nil || len(claimed) != 0 {
			t.Fatalf("claimed %v, %v", claimed, err)
		}
		return next
	}
	if n := next(monday); !n.IsZero() {
		t.Errorf("no message waits, next is %v", n)
	}
	later := msg(3, message.BookSold, "a@x.edu")
	later.CreatedAt = monday.Add(time.Hour)
	add(t, o, later)
	if n := next(monday); !n.Equal(later.CreatedAt) {
		t.Errorf("a message is due in an hour, next is %v", n)
	}
	add(t, o, msg(1, message.PasswordReset, "a@x.edu"), msg(2, message.PasswordReset, "a@x.edu"))
	if got := claim(t, o, monday, 5); len(got) != 1 {
		t.Fatalf("claimed %v", got)
	}
	if n := next(monday); n.IsZero() || n.After(monday) {
		t.Errorf("a code waits for an older one, next is %v", n)
	}
}

func add(t *testing.T, o OutboxStore, messages ...message.Message) {
	t.Helper()
	must.Do(t, o.AddMessages(t.Context(), messages...))
}

func claim(t *testing.T, o mailer.Outbox, now time.Time, n int) []mailer.ClaimedMessage {
	t.Helper()
	got, _ := must.Get2(o.ClaimMessages(t.Context(), now, now.Add(lease), n))(t)
	return got
}

func settle(t *testing.T, o mailer.Outbox, now time.Time, outcomes ...mailer.Result) {
	t.Helper()
	must.Do(t, o.SettleMessages(t.Context(), now, outcomes))
}

func ids(claimed []mailer.ClaimedMessage) []int64 {
	all := make([]int64, len(claimed))
	for i, c := range claimed {
		all[i] = c.ID
	}
	return all
}
