package auth

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// DepartureReader finds accounts whose owners have asked to delete them.
// authcontract.UseCases tests it.
type DepartureReader interface {
	// ListDueDeletions returns at most n accounts whose DeleteAt has come at now, the
	// earliest first.
	ListDueDeletions(ctx context.Context, now time.Time, n int) ([]user.User, error)
}
