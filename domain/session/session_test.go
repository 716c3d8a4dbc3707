package session_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"pgregory.net/rapid"
)

var morning = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

func begun(half session.ClientSecret) session.Session {
	return session.Session{
		ID: 7, User: 3, CreatedAt: morning,
		Lifetime: session.Lifetime{LastUsedAt: morning, IdleTimeout: session.IdleTimeoutRemembered, AbsoluteExpiry: morning.Add(session.AbsoluteTimeout), Epoch: 5},
		Family:   session.TokenFamily{ServerSecret: [32]byte{1, 2, 3}, ClientSecretHash: half.Hash(), RotatedAt: morning},
	}
}

func TestASessionEndsByWhicheverLimitIsNearer(t *testing.T) {
	s := begun(session.ClientSecret{})
	if at := s.ExpiresAt(); !at.Equal(morning.Add(session.IdleTimeoutRemembered)) {
		t.Errorf("idle: %s", at)
	}
	s.LastUsedAt = morning.Add(session.AbsoluteTimeout - time.Hour)
	if at := s.ExpiresAt(); !at.Equal(s.AbsoluteExpiry) {
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
		s := begun(session.ClientSecret{})
		epoch, now := change(&s)
		if want := name == "whole" || name == "lifted"; s.Active(epoch, now) != want {
			t.Errorf("%s: live is %v", name, !want)
		}
	}
}

func TestATokenSurvivesTheWireAndIsRecognised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := session.ClientSecret(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "half"))
		s := begun(half)
		n := rapid.Int64Range(0, 1<<48-2).Draw(t, "n")
		token := s.RefreshToken(half, n)
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
	s := begun(session.ClientSecret{1})
	if s.Issued(s.RefreshToken(session.ClientSecret{2}, 0)) || s.Issued(s.RefreshToken(session.ClientSecret(s.Family.ClientSecretHash[:16]), 0)) {
		t.Error("a token was made of what the store keeps")
	}
	other := begun(session.ClientSecret{1})
	other.Family.ServerSecret[0]++
	if s.Issued(other.RefreshToken(session.ClientSecret{1}, 0)) {
		t.Error("a token was made of the client's half alone")
	}
}

func TestWhatIsNoTokenIsRefused(t *testing.T) {
	good := begun(session.ClientSecret{}).RefreshToken(session.ClientSecret{}, 1).String()
	for _, s := range []string{"", "x", good[1:], good + "A", good[:71] + "=", good[:71] + "\n", good[:35] + "\n" + good[35:71], "+" + good[1:]} {
		if _, err := session.ParseToken(s); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(begun(session.ClientSecret{}).RefreshToken(session.ClientSecret{9}, 1).String())
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
		"the one before, nothing arrived":   {3, 2, 2, time.Hour, session.ReusedInGracePeriod},
		"the one before, within the grace":  {3, 3, 2, session.GracePeriod, session.ReusedInGracePeriod},
		"the one before, after the grace":   {3, 3, 2, session.GracePeriod + 1, session.ReuseDetected},
		"an older one, within the grace":    {3, 0, 1, 0, session.ReuseDetected},
		"an older one that nobody answered": {3, 0, 0, time.Hour, session.ReuseDetected},
		"any after the session's life":      {3, 0, 3, session.IdleTimeoutRemembered, session.Inactive},
	} {
		s := begun(session.ClientSecret{})
		s.Family.Newest, s.Family.NewestSeen = c.n, c.seen
		if got := s.Classify(c.presented, 5, morning.Add(c.after)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// A client that keeps to the protocol, with lost answers, many tabs and long
// sleeps, is never signed out; the numbers never go back.
func TestAnHonestClientIsNeverTakenForAThief(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now, held := begun(session.ClientSecret{}), morning, int64(0)
		t.Repeat(map[string]func(*rapid.T){
			"refresh": func(t *rapid.T) {
				n, lost := s.Family.Newest, rapid.Bool().Draw(t, "answer lost")
				switch outcome := s.Classify(held, 5, now); outcome {
				case session.Rotated:
					s.Rotate(held, now)
				case session.ReusedInGracePeriod:
				default:
					t.Fatalf("token %d of %+v is %d", held, s.Family, outcome)
				}
				if s.Family.Newest < n || s.Family.Newest != held+1 {
					t.Fatalf("token %d gave %d after %d", held, s.Family.Newest, n)
				}
				if !lost {
					held++
				}
			},
			"request": func(*rapid.T) { s.Family.NewestSeen = max(s.Family.NewestSeen, held) },
			"sleep": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Hour)).Draw(t, "for")))
				if now.After(s.AbsoluteExpiry.Add(-48 * time.Hour)) {
					t.Skip("a year has passed")
				}
				if now.Sub(s.LastUsedAt) > s.IdleTimeout/2 {
					s.LastUsedAt = now
				}
			},
		})
	})
}

// Once a thief has used what was stolen and the owner moves, or the other way
// round, the second of them ends the session.
func TestBothSidesMovingIsCaught(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := begun(session.ClientSecret{}), morning
		first := rapid.Int64Range(0, 4).Draw(t, "rotations before the theft")
		for n := range first {
			s.Rotate(n, now)
		}
		held := map[string]int64{"owner": first, "thief": first}
		mover := rapid.SampledFrom([]string{"owner", "thief"}).Draw(t, "moves first")
		for range rapid.IntRange(1, 3).Draw(t, "moves") {
			if s.Classify(held[mover], 5, now) != session.Rotated {
				t.Fatal("the first to move was stopped")
			}
			s.Rotate(held[mover], now)
			held[mover]++
			s.Family.NewestSeen = max(s.Family.NewestSeen, held[mover])
		}
		now = now.Add(session.GracePeriod + time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "later")))
		if got := s.Classify(first, 5, now); got != session.ReuseDetected {
			t.Fatalf("the second to move is %d", got)
		}
	})
}
