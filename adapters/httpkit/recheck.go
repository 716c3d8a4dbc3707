package httpkit

import (
	"context"

	"github.com/octavo-books/octavo/domain/user"
)

// Recheck asks once more whether what the request presented still holds; a
// stream does so now and then, because CallerFrom remembers its first answer.
// user.ErrUnauthenticated when it does not, or when nothing was presented.
func Recheck(ctx context.Context) error {
	c, _ := ctx.Value(credentialKey{}).(*credential)
	if c == nil || c.bad || c.token == "" || c.auth == nil {
		return user.ErrUnauthenticated
	}
	_, err := c.auth.Authenticate(ctx, c.token, Source(ctx))
	return err
}
