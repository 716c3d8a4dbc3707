package assembly

import (
	"crypto/ecdsa"

	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/webpush"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// newPush derives the keys of web push from the private keys, so that every replica has the same: browsers that subscribed
// before a key was replaced are reached with PREVIOUS_PRIVATE_KEYS.
func newPush(p marketParts) (pushing.Config, error) {
	s := p.Settings
	previous, err := s.PreviousSecretKeys()
	if err != nil {
		return pushing.Config{}, err
	}
	c := webpush.Config{Agent: "Octavo/" + config.Version(), Subject: s.PushSubject(), Development: !s.Production()}
	for _, key := range append([]*ecdsa.PrivateKey{p.Key}, previous...) {
		secret, err := seal.DeriveKey(key, "web push")
		if err != nil {
			return pushing.Config{}, err
		}
		c.Secrets = append(c.Secrets, secret)
	}
	sender := webpush.New(c)
	p.Life.Append(fx.StopHook(sender.Close))
	return pushing.Config{
		Pusher: sender, Ended: p.Auth.Authenticator.EndedSessions, Words: web.PushWords{}, Title: s.Server.ServiceName, Log: p.Log,
	}, nil
}
