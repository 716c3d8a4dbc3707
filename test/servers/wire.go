package servers

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Wire is a TCP proxy between a program and a server that can hang.
type Wire struct {
	Address string // host:port of the proxy

	t      testing.TB
	server string
	hung   sync.RWMutex
}

// NewWire starts a proxy to a server at host:port.
func NewWire(t testing.TB, server string) *Wire {
	t.Helper()
	w := &Wire{Address: Address(t), t: t, server: server}
	l, err := net.Listen("tcp", w.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go w.join(near)
		}
	}()
	return w
}

// Through returns a URL of the server with the proxy's address.
func (w *Wire) Through(address string) string {
	w.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		w.t.Fatal(err)
	}
	u.Host = w.Address
	return u.String()
}

// Hang delays all data in both directions until mend is called: connections stay open, new
// ones are accepted, and nothing is answered.
func (w *Wire) Hang() (mend func()) {
	w.hung.Lock()
	return sync.OnceFunc(w.hung.Unlock)
}

func (w *Wire) join(near net.Conn) {
	far, err := net.Dial("tcp", w.server)
	if err != nil {
		_ = near.Close()
		return
	}
	go w.pass(near, far)
	w.pass(far, near)
}

func (w *Wire) pass(from, to net.Conn) {
	_, _ = io.Copy(gated{to, &w.hung}, from)
	_ = to.Close()
	_ = from.Close()
}

// gated is a writer that blocks while Hang holds the gate.
type gated struct {
	io.Writer
	gate *sync.RWMutex
}

func (g gated) Write(b []byte) (int, error) {
	g.gate.RLock()
	defer g.gate.RUnlock()
	return g.Writer.Write(b)
}
