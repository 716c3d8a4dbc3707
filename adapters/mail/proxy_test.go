package mail_test

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// proxy forwards connections to a server and can cut them.
type proxy struct {
	address string
	mu      sync.Mutex
	open    []net.Conn
}

func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	p := &proxy{address: listener.Addr().String()}
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			p.join(in, target)
		}
	}()
	return p
}

func (p *proxy) join(in net.Conn, target string) {
	out, err := net.Dial("tcp", target)
	if err != nil {
		_ = in.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, in, out)
	go func() { _, _ = io.Copy(in, out) }()
	go func() { _, _ = io.Copy(out, in) }()
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		_ = c.Close()
	}
	p.open = nil
}
