package redisstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// record is the JSON form of a session: times in Unix microseconds, the idle timeout in
// nanoseconds. Fields may be added; the previous release drops them when it writes.
type record struct {
	ID        int64  `json:"id"`
	User      int64  `json:"user"`
	Created   int64  `json:"created"`
	Seen      int64  `json:"seen"`
	Idle      int64  `json:"idle"`
	Until     int64  `json:"until"`
	IP        string `json:"ip"`
	UserAgent string `json:"agent"`
	Browser   string `json:"browser"`
	OS        string `json:"os"`
	Model     string `json:"model"`
	Epoch     int64  `json:"epoch"`
	Secret    []byte `json:"secret"`
	Half      []byte `json:"half"`
	N         int64  `json:"n"`
	SeenN     int64  `json:"seen_n"`
	RotatedAt int64  `json:"rotated"`
	ProvedAt  int64  `json:"proved,omitempty"` // 0: never
	Factors   int    `json:"factors,omitempty"`
	Client    string `json:"client,omitempty"`
	Scopes    string `json:"scopes,omitempty"`
	// FirstParty says that Client may do everything.
	FirstParty bool   `json:"first_party,omitempty"`
	Elsewhere  bool   `json:"elsewhere,omitempty"`
	Methods    string `json:"methods,omitempty"`
	SignedInAt int64  `json:"signed_in,omitempty"` // 0: nobody knows
	Context    string `json:"acr,omitempty"`
	Parent     int64  `json:"parent,omitempty"`
}

func encode(s session.Session) (string, error) {
	b, err := json.Marshal(record{ //nolint:gosec // the server secret belongs here; it is useless without the client secret
		ID: int64(s.ID), User: int64(s.User), Created: s.CreatedAt.UnixMicro(), Seen: s.LastUsedAt.UnixMicro(),
		Idle: int64(s.IdleTimeout), Until: s.AbsoluteExpiry.UnixMicro(), IP: s.IP, UserAgent: s.UserAgent,
		Browser: s.Device.Browser, OS: s.Device.OS, Model: s.Device.Model, Epoch: s.Epoch,
		Secret: s.Family.ServerSecret[:], Half: s.Family.ClientSecretHash[:], N: s.Family.Newest, SeenN: s.Family.NewestSeen,
		RotatedAt: s.Family.RotatedAt.UnixMicro(),
		ProvedAt:  optionalMicros(s.ProvedAt), Factors: s.Factors, Client: s.Client, Scopes: s.Scopes, FirstParty: s.FirstParty,
		Elsewhere: s.Elsewhere,
		Methods:   string(s.Methods), SignedInAt: optionalMicros(s.SignedInAt), Context: s.Context, Parent: int64(s.Parent),
	})
	if err != nil {
		return "", fmt.Errorf("session %s: %w", s.ID, err)
	}
	return string(b), nil
}

func decode(text string) (session.Session, error) {
	var r record
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return session.Session{}, fmt.Errorf("decode a session in Redis: %w", err)
	}
	s := session.Session{
		ID: user.SessionID(r.ID), User: user.ID(r.User), CreatedAt: at(r.Created),
		Lifetime: session.Lifetime{LastUsedAt: at(r.Seen), IdleTimeout: time.Duration(r.Idle), AbsoluteExpiry: at(r.Until), Epoch: r.Epoch},
		IP:       r.IP, UserAgent: r.UserAgent, Device: session.Device{Browser: r.Browser, OS: r.OS, Model: r.Model},
		Family:  session.TokenFamily{Newest: r.N, NewestSeen: r.SeenN, RotatedAt: at(r.RotatedAt)},
		Factors: r.Factors, Client: r.Client, Scopes: r.Scopes, FirstParty: r.FirstParty, Elsewhere: r.Elsewhere,
		SignIn: session.SignIn{Methods: session.Methods(r.Methods), Context: r.Context}, Parent: user.SessionID(r.Parent),
	}
	if r.SignedInAt != 0 {
		s.SignedInAt = at(r.SignedInAt)
	}
	if r.ProvedAt != 0 {
		s.ProvedAt = at(r.ProvedAt)
	}
	if copy(s.Family.ServerSecret[:], r.Secret) != len(s.Family.ServerSecret) || copy(
		s.Family.ClientSecretHash[:], r.Half,
	) != len(s.Family.ClientSecretHash) {
		return session.Session{}, fmt.Errorf("session %s in Redis has an incomplete secret", s.ID)
	}
	return s, nil
}

func optionalMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func at(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// timeToLive is how long Redis keeps the session from now on. It is a duration rather
// than a time, so that Redis' clock may differ from ours.
func timeToLive(s session.Session, now time.Time) time.Duration {
	return max(s.ExpiresAt().Sub(now), time.Millisecond)
}
