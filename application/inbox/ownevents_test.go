package inbox_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

func ownEvents(n int) (all []webhook.Event) {
	for i := range n {
		all = append(all, webhook.Event{
			ID: fmt.Sprint(i + 1), Name: "book.posted", Payload: fmt.Appendf(nil, `{"data":{"bookId":"7","n":%d}}`, i),
			Header: map[string]string{"Content-Type": "application/json"},
		})
	}
	return all
}

func TestOwnEventsAreForwardedInTheirOrderOncePerID(t *testing.T) {
	rule := inbox.Rule{Source: event.Source, Match: "book.*", URL: "http://a.example/", OrderBy: "data.bookId"}
	run(t, setup{rules: []inbox.Rule{rule}}, func(h *harness) {
		var want []string
		for _, e := range ownEvents(300) {
			want = append(want, e.ID)
		}
		for range 2 { // again after a crash
			if n, err := h.svc.AcceptAll(h.Context(), event.Source, ownEvents(300)); n != 300 || err != nil {
				h.Fatalf("accepted %d, %v; want 300", n, err)
			}
		}
		h.pass(time.Minute)
		var got []string
		for _, r := range h.target.got {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) || h.meter.counts["octavo stored"] != 300 || h.meter.counts["octavo duplicate"] != 300 {
			h.Errorf("forwarded %v, counted %v", got, h.meter.counts)
		}
		d, err := h.svc.FindDelivery(h.Context(), event.Source, "1")
		if err != nil || d.Event != "book.posted" || d.Header["Content-Type"] != "application/json" {
			h.Errorf("found %+v, %v", d, err)
		}
		if n, err := h.svc.Redeliver(h.Context(), event.Source, "1"); n != 1 || err != nil {
			h.Errorf("redelivered to %d, %v; want 1", n, err)
		}
	})
}

func TestEventsUpToTheLimitAreStored(t *testing.T) {
	run(t, setup{rules: rules("*=http://a.example/")}, func(h *harness) {
		events := ownEvents(3)
		events[2].ID = ""
		if n, err := h.svc.AcceptAll(h.Context(), event.Source, events); n != 2 || !errors.Is(err, inbox.ErrNoID) {
			h.Errorf("accepted %d, %v", n, err)
		}
		if n, err := h.svc.AcceptAll(h.Context(), event.Source, nil); n != 0 || err != nil {
			h.Errorf("of none: %d, %v; want 0", n, err)
		}
		h.settle()
		if len(h.target.got) != 2 {
			h.Errorf("forwarded %v", h.target.got)
		}
	})
}

func TestARuleForOctavosOwnEventsSuggestsTheNearestType(t *testing.T) {
	for match, want := range map[string]string{
		"book.postd":   `did you mean "book.posted"?`,
		"user.cretaed": `did you mean "user.created"?`,
		"boook.*":      "webhooks events --source octavo",
		"push":         "webhooks events --source octavo",
	} {
		_, err := inbox.Rule{Source: event.Source, Match: match, URL: "http://127.0.0.1/"}.Complete()
		if !errors.Is(err, inbox.ErrRule) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", match, err)
		}
	}
	for _, r := range []inbox.Rule{{Source: event.Source, Match: "book.*\norder.placed"}, {Source: event.Source, Match: "*"}, {Match: "book.posted"}} {
		r.URL = "http://127.0.0.1/"
		if _, err := r.Complete(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
