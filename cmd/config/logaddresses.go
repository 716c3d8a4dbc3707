package config

import (
	"log/slog"
	"net/netip"
)

// addressKey is the attribute of log lines that has the address of a client.
const addressKey = "ip"

// logAddresses returns what replaces addresses of clients in the log; nil: nothing.
func (s *Settings) logAddresses() func([]string, slog.Attr) slog.Attr {
	switch s.Monitoring.LogAddresses {
	case "short":
		return func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == addressKey {
				a.Value = slog.StringValue(shortAddress(a.Value.String()))
			}
			return a
		}
	case "none":
		return func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == addressKey {
				return slog.Attr{}
			}
			return a
		}
	}
	return nil
}

// shortAddress is the network of an address: three of the four parts over IPv4, three of the eight over IPv6.
func shortAddress(text string) string {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	a = a.Unmap().WithZone("")
	bits := 48
	if a.Is4() {
		bits = 24
	}
	return netip.PrefixFrom(a, bits).Masked().Addr().String()
}
