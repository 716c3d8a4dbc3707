package sources

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
)

func TestAnUnknownEventOfGitHubIsLoggedOnceAndAccepted(t *testing.T) {
	var out bytes.Buffer
	accepted := 0
	count := func(context.Context, webhook.Event, string) error { accepted++; return nil }
	log := slog.New(slog.NewTextHandler(&out, nil))
	accept := logUnknownEvents(count, webhook.GitHub, log)
	send := func(event, action string) {
		if err := accept(t.Context(), webhook.Event{Name: webhook.EventName(event)}, action); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		send("issues", "opened")
		send("push", "")
		send("issues", "opend")
		send("pul_request", "")
	}
	logged := out.String()
	if strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "event=issues.opend nearest=issues.opened") || !strings.Contains(logged, "event=pul_request nearest=pull_request") {
		t.Errorf("logged %s", logged)
	}
	for i := range 200 {
		send(fmt.Sprint("new", i), "")
	}
	if lines := strings.Count(out.String(), "\n"); lines != maxUnknown+1 {
		t.Errorf("logged %d lines, want %d", lines, maxUnknown+1)
	}
	if accepted != 212 {
		t.Errorf("accepted %d, want 212", accepted)
	}
	out.Reset()
	_ = logUnknownEvents(count, webhook.Stripe, log)(t.Context(), webhook.Event{Name: "x"}, "")
	if out.Len() > 0 {
		t.Errorf("of a sender without a list it logged %s", out.String())
	}
}
