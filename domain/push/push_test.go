package push_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
)

func TestQuietHoursFollowTheClockOfTheCampus(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	night, noon := push.Quiet{From: 22 * 60, To: 7 * 60}, push.Quiet{From: 12 * 60, To: 13 * 60}
	const layout = "2006-01-02 15:04"
	for _, c := range []struct {
		quiet            push.Quiet
		at, begins, ends string // ends: "" if it is not quiet
	}{
		{night, "2026-09-07 21:59", "", ""},
		{night, "2026-09-07 22:00", "2026-09-07 22:00", "2026-09-08 07:00"},
		{night, "2026-09-08 06:59", "2026-09-07 22:00", "2026-09-08 07:00"},
		{night, "2026-09-08 07:00", "", ""},
		{night, "2026-11-01 03:00", "2026-10-31 22:00", "2026-11-01 07:00"}, // the clock is put back
		{night, "2026-03-08 03:30", "2026-03-07 22:00", "2026-03-08 07:00"}, // and forward
		{noon, "2026-09-07 12:30", "2026-09-07 12:00", "2026-09-07 13:00"},
		{noon, "2026-09-07 13:00", "", ""},
		{push.Quiet{}, "2026-09-07 00:00", "", ""},
	} {
		at, err := time.ParseInLocation(layout, c.at, zone)
		if err != nil {
			t.Fatal(err)
		}
		from, to, quiet := c.quiet.Around(at.UTC(), zone)
		if quiet != (c.ends != "") || quiet && (from.Format(layout) != c.begins || to.Format(layout) != c.ends) {
			t.Errorf("%s is quiet: %v, from %s to %s; want from %q to %q", c.at, quiet, from, to, c.begins, c.ends)
		}
	}
}

func TestAServiceThatFailsIsAskedLessAndLessOftenAndThenGivenUp(t *testing.T) {
	now := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	var s push.Subscription
	var waited time.Duration
	for n := 1; ; n++ {
		next, lost := s.Fail(0, now)
		wait := next.RetryAt.Sub(now)
		if wait < s.RetryAt.Sub(now) || !next.Paused(now) || next.Paused(next.RetryAt) || next.Tried() != (n < 8) {
			t.Fatalf("after %d failures: %+v", n, next)
		}
		s, waited = next, waited+wait
		if lost {
			break
		}
	}
	if waited < 10*24*time.Hour {
		t.Errorf("it is given up after %s", waited)
	}
	if asked, _ := (push.Subscription{}).Fail(100*24*time.Hour, now); asked.RetryAt.Sub(now) != push.TTL {
		t.Errorf("a service may ask for patience until %s", asked.RetryAt)
	}
	if s = s.Succeed(); s.Paused(now) || !s.Tried() {
		t.Errorf("after a success: %+v", s)
	}
}

func TestATopicIsThatOfItsConversationOrOrderAndTellsNothing(t *testing.T) {
	ann, bob := push.Subscription{Keys: push.Keys{Auth: "a"}}, push.Subscription{Keys: push.Keys{Auth: "b"}}
	talk, order := notification.Notification{Conversation: 7, Book: 3}, notification.Notification{Order: 7, Book: 3}
	if one := ann.TopicOf(talk); len(one) != 32 || one != ann.TopicOf(talk) || one == ann.TopicOf(order) || one == bob.TopicOf(talk) {
		t.Errorf("the topic is %q", one)
	}
	if none := ann.TopicOf(notification.Notification{Book: 3}); none != "" {
		t.Errorf("a book has the topic %q", none)
	}
}

func TestQuietHoursUntilAMidnightThatTheClockSkipsLastTheWholeEvening(t *testing.T) {
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, time.September, 5, 23, 30, 0, 0, santiago) // half an hour later it is one o'clock
	if _, to, quiet := (push.Quiet{From: 22 * 60, To: 0}).Around(at, santiago); !quiet || to.Sub(at) != 30*time.Minute {
		t.Errorf("quiet until midnight: %v, until %v", quiet, to)
	}
	if _, _, quiet := (push.Quiet{From: 0, To: 7 * 60}).Around(at, santiago); quiet {
		t.Error("the quiet hours that begin at midnight begin at eleven")
	}
	one := at.Add(30 * time.Minute)
	if from, _, quiet := (push.Quiet{From: 0, To: 7 * 60}).Around(one, santiago); !quiet || !from.Equal(one) {
		t.Errorf("quiet from midnight on: %v, from %v", quiet, from)
	}
}
