package config

import (
	"net"
	"strconv"
)

// DeriveAddresses fills in the defaults that depend on where the program listens. If listening
// is nil, it uses HOST and PORT.
func (s *Settings) DeriveAddresses(listening net.Addr) {
	if s.Server.BaseURL == "" {
		s.Server.BaseURL = "http://" + s.LocalAddress(listening)
	}
	if s.Identity.JWTIssuer == "" {
		s.Identity.JWTIssuer = s.Server.BaseURL
	}
	if s.Identity.InviteURL == "" {
		s.Identity.InviteURL = s.Server.BaseURL + "/invitation"
	}
}

// LocalAddress returns the host:port at which this machine can reach the program: HOST, or
// localhost if that is a wildcard, and the port on which the program listens.
func (s *Settings) LocalAddress(listening net.Addr) string {
	host, port := s.Server.Host, strconv.Itoa(s.Server.Port)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if tcp, ok := listening.(*net.TCPAddr); ok {
		port = strconv.Itoa(tcp.Port)
	}
	return net.JoinHostPort(host, port)
}
