package session_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"pgregory.net/rapid"
)

var morning = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

// newSession returns session 7 of user 3, started in the morning at epoch 5.
func newSession(secret session.ClientSecret) session.Session {
	return session.Session{
		ID: 7, User: 3, CreatedAt: morning,
		Lifetime: session.Lifetime{LastUsedAt: morning, IdleTimeout: session.IdleTimeoutRemembered, AbsoluteExpiry: morning.Add(session.AbsoluteTimeout), Epoch: 5},
		Family:   session.TokenFamily{ServerSecret: [32]byte{1, 2, 3}, ClientSecretHash: secret.Hash(), RotatedAt: morning},
	}
}

func TestASessionExpiresAtTheEarlierOfItsTwoTimeouts(t *testing.T) {
	s := newSession(session.ClientSecret{})
	if at := s.ExpiresAt(); !at.Equal(morning.Add(session.IdleTimeoutRemembered)) {
		t.Errorf("idle: %s", at)
	}
	s.LastUsedAt = morning.Add(session.AbsoluteTimeout - time.Hour)
	if at := s.ExpiresAt(); !at.Equal(s.AbsoluteExpiry) {
		t.Errorf("absolute: %s", at)
	}
}

func TestAProofIsRecentForTenMinutes(t *testing.T) {
	s := newSession(session.ClientSecret{})
	if s.RecentlyProved(morning) || s.RecentlyProved(time.Time{}) {
		t.Error("a session without a proof counts as proved")
	}
	s.ProvedAt = morning
	if !s.RecentlyProved(morning.Add(session.ProofLifetime-1)) || s.RecentlyProved(morning.Add(session.ProofLifetime)) {
		t.Error("a proof is not recent for exactly its lifetime")
	}
}

func TestARevokedExpiredOrSupersededSessionIsNotActive(t *testing.T) {
	for name, change := range map[string]func(s *session.Session) (epoch int64, now time.Time){
		"untouched":              func(*session.Session) (int64, time.Time) { return 5, morning },
		"moved to a newer epoch": func(s *session.Session) (int64, time.Time) { s.Epoch = 9; return 5, morning },
		"superseded":             func(*session.Session) (int64, time.Time) { return 6, morning },
		"ended":                  func(s *session.Session) (int64, time.Time) { s.EndedAt = morning; return 5, morning },
		"idle too long":          func(s *session.Session) (int64, time.Time) { return 5, s.ExpiresAt() },
	} {
		s := newSession(session.ClientSecret{})
		epoch, now := change(&s)
		if want := name == "untouched" || name == "moved to a newer epoch"; s.Active(epoch, now) != want {
			t.Errorf("%s: active is %v", name, !want)
		}
	}
}

func TestATokenIsRecognizedAfterEncodingAndNoOtherTokenIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := session.ClientSecret(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "secret"))
		s := newSession(secret)
		n := rapid.Int64Range(0, 1<<48-2).Draw(t, "n")
		token := s.RefreshToken(secret, n)
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
			t.Fatalf("a token with bit %d flipped is accepted", bit)
		}
	})
}

func TestACopyOfTheStoreCannotForgeATokenAndNeitherCanAClient(t *testing.T) {
	s := newSession(session.ClientSecret{1})
	if s.Issued(s.RefreshToken(session.ClientSecret{2}, 0)) || s.Issued(s.RefreshToken(session.ClientSecret(s.Family.ClientSecretHash[:16]), 0)) {
		t.Error("a token was forged from what the store knows")
	}
	other := newSession(session.ClientSecret{1})
	other.Family.ServerSecret[0]++
	if s.Issued(other.RefreshToken(session.ClientSecret{1}, 0)) {
		t.Error("a token was forged from the client secret alone")
	}
}

func TestMalformedTokensAreRefused(t *testing.T) {
	good := newSession(session.ClientSecret{}).RefreshToken(session.ClientSecret{}, 1).String()
	for _, s := range []string{"", "x", good[1:], good + "A", good[:71] + "=", good[:71] + "\n", good[:35] + "\n" + good[35:71], "+" + good[1:]} {
		if _, err := session.ParseToken(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(newSession(session.ClientSecret{}).RefreshToken(session.ClientSecret{9}, 1).String())
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		token, err := session.ParseToken(s)
		if err == nil && token.String() != s {
			t.Fatalf("%q is encoded as %q", s, token)
		}
	})
}

func TestAPresentedTokenIsClassified(t *testing.T) {
	for name, c := range map[string]struct {
		newest, seen, presented int64
		after                   time.Duration // since the rotation
		want                    session.Outcome
	}{
		"the newest":                                {3, 0, 3, time.Hour, session.Rotated},
		"newer than the store remembers":            {3, 0, 9, time.Hour, session.Rotated},
		"the previous one, successor not seen":      {3, 2, 2, time.Hour, session.ReusedInGracePeriod},
		"the previous one, within the grace period": {3, 3, 2, session.GracePeriod, session.ReusedInGracePeriod},
		"the previous one, after the grace period":  {3, 3, 2, session.GracePeriod + 1, session.ReuseDetected},
		"an older one, within the grace period":     {3, 0, 1, 0, session.ReuseDetected},
		"an older one, successor not seen":          {3, 0, 0, time.Hour, session.ReuseDetected},
		"the newest one of an expired session":      {3, 0, 3, session.IdleTimeoutRemembered, session.Inactive},
	} {
		s := newSession(session.ClientSecret{})
		s.Family.Newest, s.Family.NewestSeen = c.newest, c.seen
		if got := s.Classify(c.presented, 5, morning.Add(c.after)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// An honest client, with lost responses, many tabs and long sleeps, is never signed out,
// and the numbers never decrease.
func TestAnHonestClientIsNeverTakenForAThief(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now, held := newSession(session.ClientSecret{}), morning, int64(0)
		t.Repeat(map[string]func(*rapid.T){
			"refresh": func(t *rapid.T) {
				n, lost := s.Family.Newest, rapid.Bool().Draw(t, "response lost")
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

// When a thief and the owner both use a stolen token, in either order, the second use ends
// the session.
func TestASecondUseOfAStolenTokenIsDetected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := newSession(session.ClientSecret{}), morning
		stolen := rapid.Int64Range(0, 4).Draw(t, "rotations before the theft")
		for n := range stolen {
			s.Rotate(n, now)
		}
		held := stolen
		for range rapid.IntRange(1, 3).Draw(t, "rotations after the theft") {
			if s.Classify(held, 5, now) != session.Rotated {
				t.Fatal("the first use was refused")
			}
			s.Rotate(held, now)
			held++
			s.Family.NewestSeen = max(s.Family.NewestSeen, held)
		}
		now = now.Add(session.GracePeriod + time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "later")))
		if got := s.Classify(stolen, 5, now); got != session.ReuseDetected {
			t.Fatalf("the second use is classified as %d, want %d", got, session.ReuseDetected)
		}
	})
}
