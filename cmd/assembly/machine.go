package assembly

import (
	"crypto/rand"
	"io"

	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/courier"
	"go.uber.org/fx"
)

// machine is what every component needs of the computer it runs on.
func machine() fx.Option {
	return fx.Provide(
		func() system.Clock { return system.Clock{} },
		func() io.Reader { return rand.Reader },
		func(c system.Clock, random io.Reader) *system.IDs { return system.NewIDs(c, random) },
		func(c system.Clock) courier.Clock { return c },
	)
}
