package config

import (
	"net"
	"strconv"
)

// DeriveAddresses fills in the defaults that depend on where the program listens.
// listening is nil where nothing listens: HOST and PORT are used then.
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

// LocalAddress is host:port as this machine can call it: HOST, or localhost where
// that is a wildcard, and the port that is listened on.
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
