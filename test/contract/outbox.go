package contract

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// FilledOutbox is an outbox with its opt-outs, and the ways in that stores use in
// their transactions.
type FilledOutbox interface {
	courier.Outbox
	courier.Upkeep
	courier.Optouts
	Add(ctx context.Context, messages ...message.Message) error
	// Forget erases people; what was given up is still counted.
	Forget(ctx context.Context, who ...user.Email) error
}

// monday is when the suites begin.
var monday = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

const lease = time.Minute

// Outbox is what courier.Outbox and courier.Upkeep promise. open gives an empty one.
func Outbox(t *testing.T, open func(t *testing.T) FilledOutbox) {
	for name, test := range map[string]func(*testing.T, FilledOutbox){
		"what goes in comes out whole":                            outboxWhole,
		"a claimed message is nobody else's until the lease ends": outboxLease,
		"urgent messages overtake, and the longest due go first":  outboxOrder,
		"a newer code waits for the older one that is being sent": outboxTurn,
		"an older code that failed holds up no newer one":         outboxFailed,
		"an older code that expired holds up no newer one":        outboxExpired,
		"an older code that failed is tried before a newer one":   outboxHurry,
		"a settled message is gone for good":                      outboxSettled,
		"a message that waits comes back when it is due":          outboxWait,
		"who lost the lease cannot put a message back":            outboxFence,
		"of many workers each message is one's":                   outboxWorkers,
		"sweeping drops what ended long ago and nothing else":     outboxSweep,
		"the census counts the waiting and the dead":              outboxCensus,
		"who is forgotten is told nothing any more":               outboxForgets,
		"adding rings": outboxRings,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func letter(id int64, kind message.Kind, to user.Email) message.Message {
	return message.Message{ID: id, Kind: kind, To: to, Lang: user.EN, CreatedAt: monday}
}

func outboxWhole(t *testing.T, o FilledOutbox) {
	in := message.Message{
		ID: 7, Kind: message.Verification, To: "zoë@rochester.edu", Lang: user.FR, Code: "01234567", Link: "https://octavo.example/?a=1&b=2",
		Params: map[string]string{message.ParamBook: "L’été \U0001F4DA \"<b>\"", message.ParamIP: "::1"}, CreatedAt: monday, ExpiresAt: monday.Add(time.Hour),
	}
	add(t, o, in, letter(8, message.BookSold, "b@x.edu"))
	got := claim(t, o, monday, 10)
	if len(got) != 2 {
		t.Fatalf("claimed %d", len(got))
	}
	out := got[0]
	if out.Err != nil || out.Try != 1 {
		t.Errorf("try %d, %v", out.Try, out.Err)
	}
	if fmt.Sprint(out.Message) != fmt.Sprint(in) {
		t.Errorf("in  %v\nout %v", in, out.Message)
	}
	if bare := got[1]; bare.Code != "" || bare.Link != "" || len(bare.Params) != 0 || !bare.ExpiresAt.IsZero() {
		t.Errorf("out of nothing: %+v", bare)
	}
}

func outboxLease(t *testing.T, o FilledOutbox) {
	add(t, o, letter(1, message.BookSold, "a@x.edu"))
	if early := claim(t, o, monday.Add(-time.Second), 10); len(early) != 0 {
		t.Errorf("claimed before it was due: %v", early)
	}
	claim(t, o, monday, 10)
	if again := claim(t, o, monday.Add(lease-time.Second), 10); len(again) != 0 {
		t.Errorf("claimed under lease: %v", again)
	}
	again := claim(t, o, monday.Add(lease), 10)
	if len(again) != 1 || again[0].Try != 2 {
		t.Errorf("after the lease: %v", again)
	}
}

func outboxOrder(t *testing.T, o FilledOutbox) {
	late := letter(1, message.MatchFound, "a@x.edu")
	late.CreatedAt = monday.Add(time.Minute)
	add(t, o, late, letter(2, message.BookSold, "a@x.edu"), letter(3, message.MatchFound, "b@x.edu"), letter(4, message.PasswordReset, "c@x.edu"))
	now := monday.Add(time.Hour)
	for _, want := range []int64{4, 2, 3, 1} {
		got := claim(t, o, now, 1)
		if len(got) != 1 || got[0].ID != want {
			t.Fatalf("claimed %v, want %d", got, want)
		}
	}
}

func outboxTurn(t *testing.T, o FilledOutbox) {
	add(t, o, letter(1, message.Verification, "a@x.edu"), letter(2, message.Verification, "a@x.edu"),
		letter(3, message.PasswordReset, "a@x.edu"), letter(4, message.Verification, "b@x.edu"))
	first := claim(t, o, monday, 10)
	if got := ids(first); !slices.Equal(got, []int64{1, 3, 4}) {
		t.Fatalf("claimed %v", got)
	}
	settle(t, o, monday, courier.Outcome{Claimed: first[0], Verdict: courier.Wait, Due: monday.Add(time.Hour), Try: 1}, // it takes long
		courier.Outcome{Claimed: first[1], Verdict: courier.Sent}, courier.Outcome{Claimed: first[2], Verdict: courier.Sent})
	if got := claim(t, o, monday, 10); len(got) != 0 {
		t.Errorf("overtaken by %v", ids(got))
	}
	if got := ids(claim(t, o, monday.Add(time.Hour), 10)); !slices.Equal(got, []int64{1}) { // whoever sent it has died
		t.Errorf("after the lease came %v", got)
	}
	settle(t, o, monday, courier.Outcome{Claimed: first[0], Verdict: courier.Sent})
	if got := ids(claim(t, o, monday.Add(time.Second), 10)); !slices.Equal(got, []int64{2}) {
		t.Errorf("then came %v", got)
	}
}

// fail takes the one message that is due and notes that sending it has failed; it is
// to be tried again in an hour.
func fail(t *testing.T, o courier.Outbox, now time.Time, want int64) {
	t.Helper()
	got := claim(t, o, now, 10)
	if len(got) != 1 || got[0].ID != want {
		t.Fatalf("claimed %v, want %d", ids(got), want)
	}
	settle(t, o, now, courier.Outcome{Claimed: got[0], Verdict: courier.Wait, Due: now.Add(time.Hour), Try: got[0].Try, Reason: "try later"})
}

func outboxFailed(t *testing.T, o FilledOutbox) {
	for i, kind := range []message.Kind{message.PasswordReset, message.Verification, message.Invitation, message.NewSession} {
		older, newer := int64(10*i+1), int64(10*i+2)
		add(t, o, letter(older, kind, "a@x.edu"), letter(newer, kind, "a@x.edu"))
		fail(t, o, monday, older)
		fail(t, o, monday, newer)
	}
}

func outboxExpired(t *testing.T, o FilledOutbox) {
	later := monday.Add(10 * time.Minute)
	older, newer := letter(1, message.PasswordReset, "a@x.edu"), letter(2, message.PasswordReset, "a@x.edu")
	older.ExpiresAt, newer.CreatedAt = later, later
	add(t, o, older, newer)
	if got := ids(claim(t, o, later, 10)); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("claimed %v", got)
	}
}

func outboxHurry(t *testing.T, o FilledOutbox) {
	later := monday.Add(time.Minute)
	add(t, o, letter(1, message.PasswordReset, "a@x.edu"))
	fail(t, o, monday, 1)
	for id, to := range map[int64]user.Email{2: "b@x.edu", 3: "a@x.edu"} {
		newer := letter(id, message.Verification, to) // to somebody else, or of another kind
		if id == 2 {
			newer.Kind = message.PasswordReset
		}
		newer.CreatedAt = later
		add(t, o, newer)
	}
	if got := ids(claim(t, o, later, 10)); !slices.Equal(got, []int64{2, 3}) {
		t.Errorf("claimed %v beside what it does not concern", got)
	}
	newer := letter(4, message.PasswordReset, "a@x.edu")
	newer.CreatedAt = later
	add(t, o, newer)
	fail(t, o, later, 1)
	fail(t, o, later, 4)
}

func outboxSettled(t *testing.T, o FilledOutbox) {
	for i, verdict := range []courier.Verdict{courier.Sent, courier.Dead, courier.Declined} {
		add(t, o, letter(int64(i+1), message.BookSold, "a@x.edu"))
		got := claim(t, o, monday, 10)
		settle(t, o, monday, courier.Outcome{Claimed: got[0], Verdict: verdict, Reason: "line\nand \xff and \x00"})
		if again := claim(t, o, monday.Add(time.Hour), 10); len(again) != 0 {
			t.Errorf("%s: came back: %v", verdict, again)
		}
		settle(t, o, monday, courier.Outcome{Claimed: got[0], Verdict: courier.Wait, Due: monday, Try: 1})
		if again := claim(t, o, monday.Add(time.Hour), 10); len(again) != 0 {
			t.Errorf("%s: brought back: %v", verdict, again)
		}
	}
}

func outboxWait(t *testing.T, o FilledOutbox) {
	m := letter(1, message.Invitation, "a@x.edu")
	m.Link = "https://octavo.example/i"
	add(t, o, m)
	settle(t, o, monday, courier.Outcome{Claimed: claim(t, o, monday, 1)[0], Verdict: courier.Wait, Due: monday.Add(time.Hour), Try: 0, Reason: "busy"})
	if early := claim(t, o, monday.Add(time.Hour-time.Second), 10); len(early) != 0 {
		t.Errorf("came back early: %v", early)
	}
	got := claim(t, o, monday.Add(time.Hour), 10)
	if len(got) != 1 || got[0].Try != 1 || got[0].Link != m.Link {
		t.Errorf("came back as %+v", got)
	}
}

func outboxFence(t *testing.T, o FilledOutbox) {
	add(t, o, letter(1, message.BookSold, "a@x.edu"))
	lost := claim(t, o, monday, 1)[0]
	mine := claim(t, o, monday.Add(lease), 1)[0]
	settle(t, o, monday, courier.Outcome{Claimed: lost, Verdict: courier.Wait, Due: monday, Try: 0})
	if got := claim(t, o, monday.Add(lease), 10); len(got) != 0 {
		t.Errorf("put back by who lost it: %v", got)
	}
	settle(t, o, monday, courier.Outcome{Claimed: lost, Verdict: courier.Sent})
	settle(t, o, monday, courier.Outcome{Claimed: mine, Verdict: courier.Wait, Due: monday, Try: 1})
	if got := claim(t, o, monday.Add(time.Hour), 10); len(got) != 0 {
		t.Errorf("it was sent, and came back: %v", got)
	}
}

func outboxWorkers(t *testing.T, o FilledOutbox) {
	const messages, workers = 60, 6
	for i := range messages {
		add(t, o, letter(int64(i+1), message.BookSold, "a@x.edu"))
	}
	var mu sync.Mutex
	var all []int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range messages {
				got, err := o.Claim(t.Context(), monday, monday.Add(lease), 4)
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
	}
	wg.Wait()
	slices.Sort(all)
	if len(all) != messages || len(slices.Compact(all)) != messages {
		t.Errorf("claimed %d: %v", len(all), all)
	}
}

func outboxSweep(t *testing.T, o FilledOutbox) {
	verdicts := []courier.Verdict{courier.Sent, courier.Declined, courier.Dead, courier.Wait}
	for i, verdict := range verdicts {
		add(t, o, letter(int64(i+1), message.BookSold, "a@x.edu"))
		settle(t, o, monday, courier.Outcome{Claimed: claim(t, o, monday, 1)[0], Verdict: verdict, Due: monday.Add(time.Hour)})
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
		got, err := o.Sweep(t.Context(), step.sent, step.dead, step.n)
		if err != nil || got != step.want {
			t.Errorf("%+v: dropped %d, %v", step, got, err)
		}
	}
	if got := claim(t, o, monday.Add(time.Hour), 10); len(got) != 1 {
		t.Errorf("waiting: %v", got)
	}
}

func outboxCensus(t *testing.T, o FilledOutbox) {
	census := func() courier.Census {
		t.Helper()
		c, err := o.Census(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := census(); c != (courier.Census{}) {
		t.Errorf("empty: %+v", c)
	}
	later := letter(1, message.BookSold, "a@x.edu")
	later.CreatedAt = monday.Add(time.Minute)
	add(t, o, later, letter(2, message.BookSold, "a@x.edu"), letter(3, message.Verification, "a@x.edu"))
	settle(t, o, monday, courier.Outcome{Claimed: claim(t, o, monday, 1)[0], Verdict: courier.Dead})
	claim(t, o, monday, 1) // a message under lease still waits
	if c := census(); c != (courier.Census{Waiting: 2, Dead: 1, Oldest: monday}) {
		t.Errorf("%+v", c)
	}
}

func outboxForgets(t *testing.T, o FilledOutbox) {
	for i, verdict := range []courier.Verdict{courier.Sent, courier.Declined, courier.Dead} {
		add(t, o, letter(int64(i+1), message.BookSold, "ann@x.edu"))
		settle(t, o, monday, courier.Outcome{Claimed: claim(t, o, monday, 1)[0], Verdict: verdict})
	}
	add(t, o, letter(4, message.BookSold, "ann@x.edu"))
	sending := claim(t, o, monday, 1)[0]
	add(t, o, letter(5, message.PasswordReset, "ann@x.edu"), letter(6, message.BookSold, "bob@x.edu"), letter(7, message.BookSold, "eve@x.edu"))
	for _, who := range []user.Email{"ann@x.edu", "bob@x.edu"} {
		if err := o.Decline(t.Context(), who, monday); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Forget(t.Context(), "ann@x.edu", "eve@x.edu", "nobody@x.edu"); err != nil {
		t.Fatal(err)
	}
	settle(t, o, monday, courier.Outcome{Claimed: sending, Verdict: courier.Wait, Due: monday, Try: 1})
	if got := ids(claim(t, o, monday.Add(time.Hour), 10)); !slices.Equal(got, []int64{6}) {
		t.Errorf("still to be sent: %v", got)
	}
	declined, err := o.Declined(t.Context(), []user.Email{"ann@x.edu", "bob@x.edu"})
	if err != nil || declined["ann@x.edu"] || !declined["bob@x.edu"] {
		t.Errorf("declined: %v, %v", declined, err)
	}
	if c, err := o.Census(t.Context()); err != nil || c.Dead != 1 || c.Waiting != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if err := o.Forget(t.Context()); err != nil {
		t.Errorf("forgetting nobody: %v", err)
	}
}

func outboxRings(t *testing.T, o FilledOutbox) {
	select {
	case <-o.Added():
		t.Error("rang for nothing")
	default:
	}
	add(t, o, letter(1, message.BookSold, "a@x.edu"), letter(2, message.BookSold, "a@x.edu"))
	select {
	case <-o.Added():
	case <-time.After(5 * time.Second):
		t.Error("did not ring")
	}
}

func add(t *testing.T, o FilledOutbox, messages ...message.Message) {
	t.Helper()
	if err := o.Add(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
}

func claim(t *testing.T, o courier.Outbox, now time.Time, n int) []courier.Claimed {
	t.Helper()
	got, err := o.Claim(t.Context(), now, now.Add(lease), n)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func settle(t *testing.T, o courier.Outbox, now time.Time, outcomes ...courier.Outcome) {
	t.Helper()
	if err := o.Settle(t.Context(), now, outcomes); err != nil {
		t.Fatal(err)
	}
}

func ids(claimed []courier.Claimed) []int64 {
	all := make([]int64, len(claimed))
	for i, c := range claimed {
		all[i] = c.ID
	}
	return all
}
