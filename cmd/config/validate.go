package config

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Production reports whether OCTAVO_ENV is production.
func (s *Settings) Production() bool { return s.Server.Env == "production" }

// Validate returns every invalid setting, all of them if there are several, and fills in
// defaults that depend on other settings. With components it also returns what they miss. The
// parser of the command line does not call it, as it would a method without parameters: octavo
// doctor goes on with invalid settings.
func (s *Settings) Validate(serving ...Components) error {
	s.Normalise()
	errs := slices.Clone(s.Unreadable)
	for _, check := range []func() error{
		s.checkHTTPS, s.checkServer,
		s.checkOrigins, s.checkProxies, s.checkCachePurge, s.checkCookies, s.checkStorage, s.checkIdentity, s.checkMail,
		s.checkMarket, s.checkWebhooks, s.checkMonitoring, s.checkPprof,
	} {
		errs = append(errs, check())
	}
	for _, c := range serving {
		errs = append(errs, c.Check(s))
	}
	return Together(errs...)
}

// unreadable reports whether a setting has a value that could not be read, so that nothing is
// said about its absence.
func (s *Settings) unreadable(names ...string) bool {
	for _, err := range s.Unreadable {
		if slices.ContainsFunc(Concerns(err), func(name string) bool { return slices.Contains(names, name) }) {
			return true
		}
	}
	return false
}

func oneOf(name, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return Errorf(name, "%q is not one of %s", value, strings.Join(allowed, ", "))
}

func between[T int | time.Duration](name string, value, low, high T) error {
	if value < low || value > high {
		return Errorf(name, "%v is not between %v and %v", value, low, high)
	}
	return nil
}

// keepAtLeast checks how long something is stored: at least for a time, or 0 for ever.
func keepAtLeast(name string, value, least time.Duration) error {
	if value != 0 && value < least {
		return Errorf(name, "%v is neither 0s, for ever, nor at least %v", value, least)
	}
	return nil
}

func webAddress(name, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Errorf(name, "%q is not an address such as https://books.example.edu", value)
	}
	return nil
}

// IsLoopback reports whether the host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
