package notification_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/notification"
)

func TestEveryKindHasASentence(t *testing.T) {
	now := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	for _, kind := range notification.Kinds() {
		if kind == notification.Welcome {
			continue
		}
		n := notification.About(kind, 3, 7, "Calculus", now)
		if !strings.Contains(n.Message, "“Calculus”") || !strings.HasSuffix(n.Message, ".") || n.Kind != kind || n.User != 3 || n.Book != 7 || n.CreatedAt != now {
			t.Errorf("%+v", n)
		}
	}
	if n := notification.NewWelcome(3, now); n.Kind != notification.Welcome || n.Message == "" || n.Book != 0 {
		t.Errorf("%+v", n)
	}
}

func TestEveryKindButTheWelcomeIsInOneGroup(t *testing.T) {
	seen := map[notification.Kind]int{}
	for _, g := range notification.Groups() {
		for _, k := range g.Kinds() {
			seen[k]++
		}
	}
	for _, k := range notification.Kinds() {
		if want := map[bool]int{true: 0, false: 1}[k == notification.Welcome]; seen[k] != want {
			t.Errorf("%s is in %d groups, want %d", k, seen[k], want)
		}
	}
}
