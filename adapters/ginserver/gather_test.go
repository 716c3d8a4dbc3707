package ginserver_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/ginserver"
)

// counted is a listener that counts how often its connections are written to.
type counted struct {
	net.Listener
	mu     sync.Mutex
	writes int
	broken error // what every write comes to, if anything
}

type countedConn struct {
	net.Conn
	at *counted
}

func (l *counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countedConn{c, l}, err
}

func (c countedConn) Write(b []byte) (int, error) {
	c.at.mu.Lock()
	defer c.at.mu.Unlock()
	c.at.writes++
	if c.at.broken != nil {
		return 0, c.at.broken
	}
	return c.Conn.Write(b)
}

func serve(t *testing.T, h http.HandlerFunc) *counted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := &counted{Listener: l}
	s := ginserver.NewServer(h, time.Second, slog.New(slog.DiscardHandler))
	s.Start(at)
	t.Cleanup(func() { _ = s.Stop(t.Context()) })
	return at
}

func TestAPageGoesOutInOneWrite(t *testing.T) {
	for _, size := range []int{0, 100, 2048, 2049, 4096, 8000, 64 << 10} {
		page := bytes.Repeat([]byte("page "), size)[:size]
		at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(size))
			_, _ = w.Write(page)
		})
		for range 2 { // the second on the same connection
			resp, err := http.Get("http://" + at.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || !bytes.Equal(got, page) || len(resp.TransferEncoding) > 0 {
				t.Errorf("%d bytes came as %d, %v, %v", size, len(got), resp.TransferEncoding, err)
			}
		}
		if at.writes != 2 {
			t.Errorf("two answers of %d bytes took %d writes", size, at.writes)
		}
	}
}

func TestAnAnswerThatComesInPiecesArrivesAsItIsWritten(t *testing.T) {
	release := make(chan struct{})
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat("first ", 1000)))
		_ = http.NewResponseController(w).Flush()
		<-release
		_, _ = w.Write([]byte("last"))
	})
	resp, err := http.Get("http://" + at.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	first := make([]byte, 6000)
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	close(release)
	if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != "last" {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestAHandlerIsToldThatItsAnswerDidNotGoOut(t *testing.T) {
	told := make(chan error, 1)
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "8000")
		_, err := w.Write(make([]byte, 8000))
		told <- err
	})
	at.broken = io.ErrClosedPipe
	if resp, err := http.Get("http://" + at.Addr().String()); err == nil {
		_ = resp.Body.Close()
		t.Errorf("an answer came: %s", resp.Status)
	}
	if err := <-told; err == nil {
		t.Error("the handler was told that all is well")
	}
}

func TestWhoSendsTooMuchReadsTheAnswerToItsEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := ginserver.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}), time.Second, slog.New(slog.DiscardHandler))
	s.Start(l)
	t.Cleanup(func() { _ = s.Stop(t.Context()) })
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if _, err := client.Write([]byte("POST / HTTP/1.1\r\nHost: octavo\r\nContent-Length: 100000000\r\n\r\n" + strings.Repeat("x", 1<<20))); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(client)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 413 ") {
		t.Errorf("%q, %v", answer, err)
	}
}
