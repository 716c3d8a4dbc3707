package authkit

import (
	"context"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/must"
)

// LogoutSender implements provider.LogoutSender.
type LogoutSender struct {
	// Refusal is the answer of every application; nil for success.
	Refusal error
	// URIs are those of all calls, oldest first.
	URIs []string
}

// SendLogout implements provider.LogoutSender.
func (s *LogoutSender) SendLogout(_ context.Context, uri, _ string) error {
	s.URIs = append(s.URIs, uri)
	return s.Refusal
}

// TellApplications does the jobs that are due and returns what applications are told by them.
func (k *Fixture) TellApplications(t testing.TB) []provider.LogoutClaims {
	t.Helper()
	before := len(k.IDTokens.Logouts)
	kind := work.Leased(auth.LogoutJob, k.Store.Jobs, k.Clock.Now, func(ctx context.Context, j job.Job) error { return k.Logouts.Tell(ctx, j.Args) })
	for found := true; found; {
		_, found = must.Get2(kind.Take(context.Background()))(t)
	}
	return k.IDTokens.Logouts[before:]
}
