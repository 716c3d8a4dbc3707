package servers

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// Proxy is a TCP proxy between a program and a server that can hang.
type Proxy struct {
	Address string // host:port of the proxy

	t      testing.TB
	server string
	hung   sync.RWMutex
}

// NewProxy starts a proxy to a server at host:port.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	p := &Proxy{Address: Address(t), t: t, server: server}
	l := must.Get(net.Listen("tcp", p.Address))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// Through returns a URL of the server with the proxy's address.
func (p *Proxy) Through(address string) string {
	p.t.Helper()
	u := must.Get(url.Parse(address))(p.t)
	u.Host = p.Address
	return u.String()
}

// Hang delays all data in both directions until resume is called: connections stay open, new
// ones are accepted, and nothing is answered.
func (p *Proxy) Hang() (resume func()) {
	p.hung.Lock()
	return sync.OnceFunc(p.hung.Unlock)
}

func (p *Proxy) serve(client net.Conn) {
	backend, err := net.Dial("tcp", p.server)
	if err != nil {
		_ = client.Close()
		return
	}
	go p.copy(client, backend)
	p.copy(backend, client)
}

func (p *Proxy) copy(from, to net.Conn) {
	_, _ = io.Copy(gated{to, &p.hung}, from)
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
