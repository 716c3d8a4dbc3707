package authrooms

import (
	"slices"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/domain/retention"
)

// Kept is what all rooms keep about people.
func Kept() []retention.Record {
	return slices.Concat(account.Kept, sessions.Kept, factors.Kept, external.Kept, provider.Kept)
}
