package message_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/message"
)

func TestOfAFloodSomebodyGetsAMailAnHourAndFiveADay(t *testing.T) {
	start := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	d := message.Digest{}
	var sent []time.Time
	for minute := range 48 * 60 {
		now := start.Add(time.Duration(minute) * time.Minute)
		d.Add(message.Item{Book: int64(minute), Title: fmt.Sprint(minute)}, now)
		if now.Before(d.Next()) {
			continue
		}
		list, more, ok := d.Take(d.Items, now)
		if !ok || len(sent) == 0 && (len(list) != 1 || more != 0) || len(sent) == 1 && (len(list) != message.DigestItems || more != 40) {
			t.Fatalf("mail %d lists %d and counts %d more", len(sent), len(list), more)
		}
		sent = append(sent, now)
	}
	for i, at := range sent {
		if i > 0 && at.Sub(sent[i-1]) < message.DigestGap || i >= message.DigestsADay && at.Sub(sent[i-message.DigestsADay]) < message.DigestDay {
			t.Errorf("sent at %v", sent[:i+1])
		}
	}
	if len(sent) != 2*message.DigestsADay {
		t.Errorf("%d mails in two days", len(sent))
	}
}

func TestADigestOfNothingIsNoMail(t *testing.T) {
	now := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	d := message.Digest{}
	d.Add(message.Item{Book: 1, Source: 1}, now)
	d.Add(message.Item{Book: 1, Source: 2}, now)
	if _, _, ok := d.Take(nil, now); ok || d.Waits() || len(d.Sent) != 0 || !d.Spent(now) {
		t.Errorf("sold books were mailed: %+v", d)
	}
	d.Add(message.Item{Book: 1, Source: 1}, now)
	d.Add(message.Item{Book: 1, Source: 2}, now)
	if list, more, ok := d.Take(d.Items, now); !ok || len(list) != 1 || more != 0 {
		t.Errorf("a book that two requests match is listed as %+v, and %d more", list, more)
	}
	if d.Spent(now.Add(message.DigestDay-1)) || !d.Spent(now.Add(message.DigestDay)) {
		t.Errorf("the last mail is remembered until %v", d.WakesAt())
	}
}

func TestWhatOneRunUnlistsWaitsForItsEnd(t *testing.T) {
	start := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	d := message.Digest{Kind: message.BookUnlisted}
	for i := range 3 {
		d.Add(message.Item{Book: int64(i)}, start.Add(time.Duration(i)*time.Minute))
	}
	if at := start.Add(message.DigestSettles); !d.Next().Equal(at) || !d.WakesAt().Equal(at) {
		t.Errorf("it is mailed at %v, and looked at at %v", d.Next(), d.WakesAt())
	}
	sent := start.Add(message.DigestSettles)
	if list, more, ok := d.Take(d.Items, sent); !ok || len(list) != 3 || more != 0 || !d.Due.IsZero() {
		t.Errorf("mailed %+v, and %d more: %+v", list, more, d)
	}
	if d.Spent(sent) || !d.Next().Equal(sent.Add(message.DigestGap)) || !d.WakesAt().Equal(sent.Add(message.DigestDay)) {
		t.Errorf("the next may be sent at %v, and it is spent at %v", d.Next(), d.WakesAt())
	}
	d.Add(message.Item{Book: 9}, sent.Add(time.Minute))
	if !d.Next().Equal(sent.Add(message.DigestGap)) {
		t.Errorf("after a mail the next is sent at %v", d.Next())
	}
	d.Sent = nil
	d.Add(message.Item{Book: 10}, sent.Add(2*time.Minute))
	if at := sent.Add(time.Minute + message.DigestSettles); !d.Next().Equal(at) {
		t.Errorf("a second item changes the time to %v", d.Next())
	}
}

func TestItemsSurviveTheirParameter(t *testing.T) {
	want := []message.Item{{Title: "Algebra", Course: "MTH 165", Price: "12.50", Reason: "isbn"}, {Title: "a b c"}}
	got := message.SplitItems(message.JoinItems([]message.Item{want[0], {Title: "a\tb\nc"}}) + "\nnot an item")
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("read %+v", got)
	}
}
