package session_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"pgregory.net/rapid"
)

var morning = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

func begun(half session.Half) session.Session {
	return session.Session{
		ID: 7, User: 3, CreatedAt: morning,
		Life:    session.Life{LastSeenAt: morning, Idle: session.IdleRemembered, Until: morning.Add(session.Absolute), Epoch: 5},
		Lineage: session.Lineage{Secret: [32]byte{1, 2, 3}, Half: half.Hash(), RotatedAt: morning},
	}
}

func TestASessionEndsByWhicheverLimitIsNearer(t *testing.T) {
	s := begun(session.Half{})
	if at := s.ExpiresAt(); !at.Equal(morning.Add(session.IdleRemembered)) {
		t.Errorf("idle: %s", at)
	}
	s.LastSeenAt = morning.Add(session.Absolute - time.Hour)
	if at := s.ExpiresAt(); !at.Equal(s.Until) {
		t.Errorf("absolute: %s", at)
	}
}

func TestOnlyAWholeSessionIsLive(t *testing.T) {
	for name, change := range map[string]func(s *session.Session) (epoch int64, now time.Time){
		"whole":         func(*session.Session) (int64, time.Time) { return 5, morning },
		"lifted":        func(s *session.Session) (int64, time.Time) { s.Epoch = 9; return 5, morning },
		"superseded":    func(*session.Session) (int64, time.Time) { return 6, morning },
		"ended":         func(s *session.Session) (int64, time.Time) { s.EndedAt = morning; return 5, morning },
		"idle too long": func(s *session.Session) (int64, time.Time) { return 5, s.ExpiresAt() },
	} {
		s := begun(session.Half{})
		epoch, now := change(&s)
		if want := name == "whole" || name == "lifted"; s.Live(epoch, now) != want {
			t.Errorf("%s: live is %v", name, !want)
		}
	}
}

func TestATokenSurvivesTheWireAndIsRecognised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := session.Half(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "half"))
		s := begun(half)
		n := rapid.Int64Range(0, 1<<48-2).Draw(t, "n")
		token := s.Token(half, n)
		parsed, err := session.ParseToken(token.String())
		if err != nil || parsed != token || !s.Issued(parsed) {
			t.Fatalf("%+v became %+v, %v", token, parsed, err)
		}
		bit := rapid.IntRange(0, 72*6-1).Draw(t, "bit")
		text := []byte(token.String())
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		for i, r := range alphabet {
			if byte(r) == text[bit/6] {
				text[bit/6] = alphabet[i^(1<<(bit%6))]
				break
			}
		}
		if forged, err := session.ParseToken(string(text)); err == nil && s.Issued(forged) {
			t.Fatalf("a token with another bit %d is taken", bit)
		}
	})
}

func TestADumpOfTheStoreMakesNoToken(t *testing.T) {
	s := begun(session.Half{1})
	if s.Issued(s.Token(session.Half{2}, 0)) || s.Issued(s.Token(session.Half(s.Lineage.Half[:16]), 0)) {
		t.Error("a token was made of what the store keeps")
	}
	other := begun(session.Half{1})
	other.Lineage.Secret[0]++
	if s.Issued(other.Token(session.Half{1}, 0)) {
		t.Error("a token was made of the client's half alone")
	}
}

func TestWhatIsNoTokenIsRefused(t *testing.T) {
	good := begun(session.Half{}).Token(session.Half{}, 1).String()
	for _, s := range []string{"", "x", good[1:], good + "A", good[:71] + "=", good[:71] + "\n", good[:35] + "\n" + good[35:71], "+" + good[1:]} {
		if _, err := session.ParseToken(s); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(begun(session.Half{}).Token(session.Half{9}, 1).String())
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		token, err := session.ParseToken(s)
		if err == nil && token.String() != s {
			t.Fatalf("%q is written %q", s, token)
		}
	})
}

// table of the scheme: newest issued, newest seen, presented, how long ago it was rotated.
func TestWhatAPresentedTokenMeans(t *testing.T) {
	for name, c := range map[string]struct {
		n, seen, presented int64
		after              time.Duration
		want               session.Outcome
	}{
		"the newest":                        {3, 0, 3, time.Hour, session.Rotated},
		"newer than the store remembers":    {3, 0, 9, time.Hour, session.Rotated},
		"the one before, nothing arrived":   {3, 2, 2, time.Hour, session.Graced},
		"the one before, within the grace":  {3, 3, 2, session.Grace, session.Graced},
		"the one before, after the grace":   {3, 3, 2, session.Grace + 1, session.Reused},
		"an older one, within the grace":    {3, 0, 1, 0, session.Reused},
		"an older one that nobody answered": {3, 0, 0, time.Hour, session.Reused},
		"any after the session's life":      {3, 0, 3, session.IdleRemembered, session.Dead},
	} {
		s := begun(session.Half{})
		s.Lineage.N, s.Lineage.SeenN = c.n, c.seen
		if got := s.Judge(c.presented, 5, morning.Add(c.after)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// A client that keeps to the protocol, with lost answers, many tabs and long
// sleeps, is never signed out; the numbers never go back.
func TestAnHonestClientIsNeverTakenForAThief(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now, held := begun(session.Half{}), morning, int64(0)
		t.Repeat(map[string]func(*rapid.T){
			"refresh": func(t *rapid.T) {
				n, lost := s.Lineage.N, rapid.Bool().Draw(t, "answer lost")
				switch outcome := s.Judge(held, 5, now); outcome {
				case session.Rotated:
					s.Rotate(held, now)
				case session.Graced:
				default:
					t.Fatalf("token %d of %+v is %d", held, s.Lineage, outcome)
				}
				if s.Lineage.N < n || s.Lineage.N != held+1 {
					t.Fatalf("token %d gave %d after %d", held, s.Lineage.N, n)
				}
				if !lost {
					held++
				}
			},
			"request": func(*rapid.T) { s.Lineage.SeenN = max(s.Lineage.SeenN, held) },
			"sleep": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Hour)).Draw(t, "for")))
				if now.After(s.Until.Add(-48 * time.Hour)) {
					t.Skip("a year has passed")
				}
				if now.Sub(s.LastSeenAt) > s.Idle/2 {
					s.LastSeenAt = now
				}
			},
		})
	})
}

// Once a thief has used what was stolen and the owner moves, or the other way
// round, the second of them ends the session.
func TestBothSidesMovingIsCaught(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := begun(session.Half{}), morning
		first := rapid.Int64Range(0, 4).Draw(t, "rotations before the theft")
		for n := range first {
			s.Rotate(n, now)
		}
		held := map[string]int64{"owner": first, "thief": first}
		mover := rapid.SampledFrom([]string{"owner", "thief"}).Draw(t, "moves first")
		for range rapid.IntRange(1, 3).Draw(t, "moves") {
			if s.Judge(held[mover], 5, now) != session.Rotated {
				t.Fatal("the first to move was stopped")
			}
			s.Rotate(held[mover], now)
			held[mover]++
			s.Lineage.SeenN = max(s.Lineage.SeenN, held[mover])
		}
		now = now.Add(session.Grace + time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "later")))
		if got := s.Judge(first, 5, now); got != session.Reused {
			t.Fatalf("the second to move is %d", got)
		}
	})
}
