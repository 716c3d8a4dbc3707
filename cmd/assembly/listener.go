package assembly

import (
	"context"
	"net"
	"strconv"
)

// listen takes the port before anything else is made, so that a port in use is
// the first thing said, and fills in the address that links begin with.
func listen(ctx context.Context, s *Settings) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(s.Server.Host, strconv.Itoa(s.Server.Port)))
	if err != nil {
		return nil, refused("HOST, PORT", "cannot listen: %v", err)
	}
	s.imply(l.Addr())
	return l, nil
}

// imply fills in what follows from where the program listens; nil stands for
// the address in the settings.
func (s *Settings) imply(taken net.Addr) {
	if s.Server.BaseURL == "" {
		s.Server.BaseURL = "http://" + s.reachable(taken)
	}
	if s.Identity.JWTIssuer == "" {
		s.Identity.JWTIssuer = s.Server.BaseURL
	}
	if s.Identity.InviteURL == "" {
		s.Identity.InviteURL = s.Server.BaseURL + "/invitation"
	}
}

// reachable names an address that can be called: HOST unless that is a wildcard,
// and the port that was taken.
func (s *Settings) reachable(taken net.Addr) string {
	host, port := s.Server.Host, strconv.Itoa(s.Server.Port)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if tcp, ok := taken.(*net.TCPAddr); ok {
		port = strconv.Itoa(tcp.Port)
	}
	return net.JoinHostPort(host, port)
}
