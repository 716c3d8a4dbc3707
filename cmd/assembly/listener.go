package assembly

import (
	"context"
	"net"
	"strconv"

	"github.com/octavo-books/octavo/cmd/config"
)

// listen takes the port before anything else is made, so that a port in use is
// the first thing said, and fills in the address that links begin with.
func listen(ctx context.Context, s *config.Settings) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(s.Server.Host, strconv.Itoa(s.Server.Port)))
	if err != nil {
		return nil, config.Errorf("HOST, PORT", "cannot listen: %v", err)
	}
	s.DeriveAddresses(l.Addr())
	return l, nil
}
