package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// dial connects to the server without an HTTP client, which would correct mistakes.
func dial(t *testing.T, r *receiver.Receiver, opts webhookhttp.Options) net.Conn {
	t.Helper()
	conn := must.Get(net.Dial("tcp", serve(t, r, opts).Listener.Addr().String()))(t)
	t.Cleanup(func() { conn.Close() })
	must.Do(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return conn
}

// head returns a request up to its body; extra are further header lines.
func head(t *testing.T, r *receiver.Receiver, body string, extra ...string) string {
	t.Helper()
	lines := append([]string{
		"POST /api/host/webhooks HTTP/1.1", "Host: localhost", "Content-Type: application/json", "X-Host-Event: push",
		"X-Host-Delivery: delivery-1", "X-Host-Signature-256: " + signed(t, r, "push", body).Signature,
	}, extra...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	must.Get(io.WriteString(conn, text))(t)
}

// wantAnswer reads one answer from the connection.
func wantAnswer(t *testing.T, conn net.Conn, status int) string {
	t.Helper()
	answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	body := must.Get(io.ReadAll(answer.Body))(t)
	if answer.StatusCode != status {
		t.Fatalf("answered %d %s, want %d", answer.StatusCode, body, status)
	}
	if status >= 300 && strings.Contains(answer.Header.Get("Content-Type"), "json") {
		checkRefusal(t, answer, string(body), status, "")
	}
	return string(body)
}

var hostileConnections = cases{
	"a Content-Length greater than the body is 400": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, "{}", "Content-Length: 100")+"{}")
		must.Do(t, conn.(*net.TCPConn).CloseWrite())
		wantAnswer(t, conn, 400)
	},
	"a Content-Length less than the body truncates it": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, `{"a":1}`, "Content-Length: 2", "Connection: close")+`{"a":1}`)
		if body := wantAnswer(t, conn, 400); !strings.Contains(body, "ignature") {
			t.Errorf("got %s", body)
		}
	},
	"a Content-Length of a terabyte is 413 at once": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, "{}", "Content-Length: 1099511627776"))
		wantAnswer(t, conn, 413)
	},
	"a Content-Length of 25 MiB allocates no memory before the body arrives": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).Listener.Addr().String()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 50 {
			conn := must.Get(net.Dial("tcp", url))(t)
			defer conn.Close()
			write(t, conn, head(t, r, "{}", "Content-Length: 26214400")+"{")
		}
		runtime.ReadMemStats(&after)
		if grown := int64(after.TotalAlloc) - int64(before.TotalAlloc); grown > 500<<20 {
			t.Errorf("%d MiB were allocated", grown>>20)
		}
	},
	"two lengths that differ are 400": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, "{}", "Content-Length: 2", "Content-Length: 3")+"{}")
		wantAnswer(t, conn, 400)
	},
	"a negative length is 400": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, "{}", "Content-Length: -2")+"{}")
		wantAnswer(t, conn, 400)
	},
	"malformed chunks are 400": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, "{}", "Transfer-Encoding: chunked")+"zz\r\n{}\r\n0\r\n\r\n")
		wantAnswer(t, conn, 400)
	},
	"chunks of one byte are received": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, "{}", "Transfer-Encoding: chunked")+"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")
		wantAnswer(t, conn, 200)
	},
	"endless chunks end at the limit with 413": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{MaxBody: 1 << 20})
		write(t, conn, head(t, r, "{}", "Transfer-Encoding: chunked"))
		go func() {
			chunk := fmt.Sprintf("10000\r\n%s\r\n", strings.Repeat("x", 0x10000))
			for range 200 {
				if _, err := io.WriteString(conn, chunk); err != nil {
					return
				}
			}
		}()
		wantAnswer(t, conn, 413)
	},
	"a client that keeps sending sees its 413": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{MaxBody: 1 << 20})
		write(t, conn, head(t, r, "{}", "Content-Length: 33554432"))
		for range 512 { // all of it, before reading the answer
			write(t, conn, strings.Repeat("x", 1<<16))
		}
		wantAnswer(t, conn, 413)
	},
	"a client that sends a large body with the wrong type sees its 415": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		wrong := strings.Replace(head(t, r, "{}", "Content-Length: 16777216"), "application/json", "text/plain", 1)
		write(t, conn, wrong)
		for range 256 {
			write(t, conn, strings.Repeat("x", 1<<16))
		}
		wantAnswer(t, conn, 415)
	},
	"a body slower than the limit is 408": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		conn := dial(t, r, webhookhttp.Options{Timeout: 50 * time.Millisecond})
		write(t, conn, head(t, r, `{"a":1}`, "Content-Length: 7")+`{"a":`)
		wantAnswer(t, conn, 408)
		j.expect(t, "any", 0)
	},
	"a body that arrives slowly beyond the limit is 408": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{Timeout: 60 * time.Millisecond})
		write(t, conn, head(t, r, "{}", "Content-Length: 100000"))
		go func() {
			for {
				if _, err := conn.Write([]byte(" ")); err != nil {
					return
				}
				<-time.After(time.Millisecond)
			}
		}()
		wantAnswer(t, conn, 408)
	},
	"the time for the body counts toward the handlers' limit": func(t *testing.T) {
		r, release := newReceiver(t), make(chan struct{})
		defer close(release)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { <-release; return nil }), "push"))
		conn := dial(t, r, webhookhttp.Options{Timeout: 3 * time.Second})
		start := time.Now()
		write(t, conn, head(t, r, "{}", "Content-Length: 2"))
		time.AfterFunc(500*time.Millisecond, func() { _, _ = conn.Write([]byte("{}")) })
		wantAnswer(t, conn, 202)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("answered after %s", took)
		}
	},
	"a connection is reused after a good delivery": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{Timeout: 2 * time.Second})
		for range 3 {
			write(t, conn, head(t, r, "{}", "Content-Length: 2")+"{}")
			wantAnswer(t, conn, 200)
		}
		<-time.After(2200 * time.Millisecond) // longer than a body may take
		write(t, conn, head(t, r, "{}", "Content-Length: 2")+"{}")
		wantAnswer(t, conn, 200)
	},
	"a client that hangs up does not stop its handlers": func(t *testing.T) {
		r, j, release := newReceiver(t), newJournal(), make(chan struct{})
		must.Do(t, r.On(receiver.Func(func(c context.Context, _ webhook.Event) error {
			j.note("started")
			<-release
			j.note(fmt.Sprint("ended ", c.Err()))
			return nil
		}), "push"))
		conn := dial(t, r, webhookhttp.Options{})
		write(t, conn, head(t, r, "{}", "Content-Length: 2")+"{}")
		j.waitFor(t, 1)
		must.Do(t, conn.Close())
		close(release)
		j.waitFor(t, 2)
		j.expect(t, "ended <nil>", 1)
	},
	"a client that hangs up during its body runs no handler": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		conn := dial(t, r, webhookhttp.Options{Observe: func(o webhookhttp.Outcome, _ time.Duration) { j.note(string(o)) }})
		write(t, conn, head(t, r, "{}", "Content-Length: 2")+"{")
		must.Do(t, conn.Close())
		j.waitFor(t, 1)
		j.expect(t, string(webhookhttp.BadBody), 1)
		j.expect(t, "any", 0)
	},
	"headers of two megabytes are refused by the server": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{})
		go func() { _, _ = io.WriteString(conn, head(t, r, "{}", "X-Filler: "+strings.Repeat("x", 2<<20))) }()
		wantAnswer(t, conn, 431)
	},
	"a client that waits for 100 Continue gets its 413 instead": func(t *testing.T) {
		r := newReceiver(t)
		conn := dial(t, r, webhookhttp.Options{MaxBody: 10})
		write(t, conn, head(t, r, "{}", "Content-Length: 1000000", "Expect: 100-continue"))
		wantAnswer(t, conn, 413)
	},
}
