package oidcclient

import (
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
)

const (
	requestTimeout = 10 * time.Second
	maxBody        = 512 << 10 // of an answer, in bytes
)

// newHTTPClient returns the client of one provider.
func newHTTPClient(p Provider, o Options) *http.Client {
	return outbound.Web{Agent: o.Agent, Private: p.Private, Development: o.Development, Timeout: requestTimeout, MaxBody: maxBody}.Client()
}

// CheckAddress returns an error for an address at which no provider may be: anything but
// https, except http at a literal loopback address in development.
func CheckAddress(address string, development bool) error {
	return outbound.CheckAddress(address, development)
}
