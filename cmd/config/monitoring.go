package config

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"

	"github.com/octavo-books/octavo/adapters/telemetry"
)

func (s *Settings) checkMonitoring() error {
	v := &s.Monitoring
	if v.LogAddresses == "" {
		v.LogAddresses = "full"
	}
	level := Together(
		oneOf("LOG_LEVEL", v.LogLevel, "debug", "info", "warn", "error"), oneOf("LOG_ADDRESSES", v.LogAddresses, "full", "short", "none"),
	)
	if v.LogFormat == "" {
		return level
	}
	return Together(level, oneOf("LOG_FORMAT", v.LogFormat, "text", "json"))
}

// checkPprof allows loopback addresses only: a profile shows what is in memory.
func (s *Settings) checkPprof() error {
	address := s.Monitoring.PprofAddr
	if address == "" {
		return nil
	}
	if host, _, err := net.SplitHostPort(address); err != nil || !IsLoopback(host) {
		return Errorf("PPROF_ADDR", "%q is not a loopback address such as 127.0.0.1:6060", address)
	}
	return nil
}

// TracingConfig reads the standard variables of OpenTelemetry. They are not flags, because
// every program has the same.
func TracingConfig() (telemetry.Config, error) {
	config, err := telemetry.ReadConfig(os.Getenv)
	return config, TracingError(err)
}

// TracingError turns an error of telemetry about a variable into one about a setting.
func TracingError(err error) error {
	var r telemetry.SettingError
	if errors.As(err, &r) {
		return Errorf(r.Name, "%s", r.Reason)
	}
	return err
}

// NewTracing traces requests as the standard variables of OpenTelemetry say; nil if they turn
// tracing off. These variables are not flags, because every program has the same.
func NewTracing(ctx context.Context, console io.Writer, log *slog.Logger) (*telemetry.Tracing, error) {
	settings, err := TracingConfig()
	if err != nil {
		return nil, err
	}
	t, err := telemetry.New(ctx, settings, Version(), console, log)
	return t, TracingError(err)
}

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
