package passkey_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/passkey"
)

func TestANameIsCleaned(t *testing.T) {
	for in, out := range map[string]string{"Phone": "Phone", "  my\u00a0key ": "my\u00a0key", "e\u0301": "é", strings.Repeat("é", 100): strings.Repeat("é", 100)} {
		if got, err := passkey.CleanName(in); err != nil || got != out {
			t.Errorf("%q is %q, %v; want %q", in, got, err, out)
		}
	}
	for _, in := range []string{"", " ", "\u200b", "a\nb", "a\x00", "\xff", strings.Repeat("x", 101)} {
		if got, err := passkey.CleanName(in); !errors.Is(err, passkey.ErrNameInvalid) {
			t.Errorf("%q is %q, %v, want %v", in, got, err, passkey.ErrNameInvalid)
		}
	}
}

func TestACounterThatDoesNotGrowIsRefused(t *testing.T) {
	now := time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		stored, sent uint32
		accepted     bool
	}{{0, 0, true}, {0, 1, true}, {1, 2, true}, {1, 1, false}, {5, 4, false}, {5, 0, false}, {1, 1<<32 - 1, true}} {
		p := passkey.Passkey{Credential: passkey.Credential{Counter: c.stored}}
		got := p.Use(c.sent, now)
		if got != c.accepted || got != p.LastUsedAt.Equal(now) || got && p.Counter != c.sent || !got && p.Counter != c.stored {
			t.Errorf("%d after %d: %v, %+v", c.sent, c.stored, got, p)
		}
	}
}
