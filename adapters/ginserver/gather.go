package ginserver

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
)

// net/http sends what is written in pieces of four kilobytes, each with a system call
// that costs more than all else a server does with a page. An answer whose
// length is known is gathered and sent with one.

// piece is what net/http passes on as it comes; a shorter body it gathers itself.
const piece = 2 << 10

// largest is what may be gathered; a longer answer goes out piece by piece.
const largest = 64 << 10

// listener accepts connections that can gather.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c}, nil
}

// connection is written to by one goroutine at a time.
type connection struct {
	net.Conn
	held *[]byte // nil: nothing is gathered
	err  error   // of sending what was gathered
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (c *connection) Write(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.held == nil {
		return c.Conn.Write(b)
	}
	*c.held = append(*c.held, b...)
	return len(b), nil
}

// CloseWrite lets net/http end an answer whose request it does not read to the end:
// to close at once would take the answer from the client.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// gather sends at once what write and net/http give meanwhile.
func (c *connection) gather(write func() (int, error)) (n int, err error) {
	c.held = buffers.Get().(*[]byte)
	defer func() {
		all := c.held
		c.held = nil
		if _, c.err = c.Conn.Write(*all); c.err != nil {
			_ = c.Close() // net/http, not knowing, would wait for the next request
			err = cmp.Or(err, c.err)
		}
		*all = (*all)[:0]
		buffers.Put(all)
	}()
	return write()
}

type connectionKey struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// gathering lets the answers of next be gathered.
func gathering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
			w = &gatherer{w, c}
		}
		next.ServeHTTP(w, r)
	})
}

type gatherer struct {
	http.ResponseWriter
	connection *connection
}

func (g *gatherer) Write(b []byte) (int, error) {
	if len(b) <= piece || len(b) > largest || g.Header().Get("Content-Length") == "" {
		return g.ResponseWriter.Write(b)
	}
	return g.connection.gather(func() (int, error) {
		n, err := g.ResponseWriter.Write(b)
		if err == nil {
			err = http.NewResponseController(g.ResponseWriter).Flush()
		}
		return n, err
	})
}

// Unwrap serves http.ResponseController.
func (g *gatherer) Unwrap() http.ResponseWriter { return g.ResponseWriter }
