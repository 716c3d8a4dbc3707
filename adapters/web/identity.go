package web

import (
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/authrooms"
)

// Identity holds the use cases behind the pages about accounts, which do not need the
// marketplace. All are required.
type Identity struct {
	Gate httpx.Authenticator
	*authrooms.Auth
}
