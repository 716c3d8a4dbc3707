package sample_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

func TestEveryNameHasASampleThatIsEmittedUnderIt(t *testing.T) {
	for _, name := range webhook.EventNames() {
		payload, ok := sample.Payload(name)
		if !ok {
			t.Errorf("%s has no sample", name)
			continue
		}
		_, action, _ := strings.Cut(string(name), ".")
		if got, err := webhook.Scan(payload); err != nil || got != action {
			t.Errorf("%s: the action is %q, %v; want %q", name, got, err, action)
		}
	}
}

func TestAnUnknownNameHasNoSample(t *testing.T) {
	for _, name := range []webhook.EventName{"", "*", "pushed", "issues.nope"} {
		if _, ok := sample.Payload(name); ok {
			t.Errorf("%q has a sample", name)
		}
	}
}

func TestTheSamplesOfTheBenchmarksHaveRealisticSizes(t *testing.T) {
	for name, least := range map[webhook.EventName]int{"push": 6_000, "pull_request": 20_000} {
		payload, _ := sample.Payload(name)
		t.Logf("%s: %d bytes", name, len(payload))
		if len(payload) < least || len(payload) > 2*least {
			t.Errorf("%s has %d bytes", name, len(payload))
		}
	}
}
