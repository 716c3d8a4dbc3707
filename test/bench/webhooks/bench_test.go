//go:build !windows

package webhooks

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
	"github.com/octavo-books/octavo/test/must"
)

const connections = 16

func BenchmarkDelivery(b *testing.B) {
	for _, event := range []webhook.EventName{"push", "pull_request"} {
		for _, kind := range []string{"floor", "library", "library_10_matching", "library_10000_others", "durable", "durable_forward"} {
			b.Run(string(event)+"/"+kind, func(b *testing.B) { measure(b, kind, event) })
		}
	}
}

// measure sends b.N deliveries and reports the server's CPU time for each.
func measure(b *testing.B, kind string, event webhook.EventName) {
	addr := start(b, kind)
	payload, _ := sample.Payload(event)
	b.SetBytes(int64(len(payload)))
	next := counter(b, event, payload)
	send(b, addr, 200, next) // warm up
	before := usedCPU(b, addr)
	b.ResetTimer()
	send(b, addr, b.N, next)
	b.StopTimer()
	b.ReportMetric(float64(usedCPU(b, addr)-before)/float64(b.N), "cpu-µs/delivery")
	b.ReportMetric(0, "ns/op") // the wall clock measures the sender too
}

// start runs this binary as a server on one core and returns its address.
func start(b *testing.B, kind string) string {
	b.Helper()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), serverVariable+"="+kind, "GOMAXPROCS=1")
	if kind == "durable_forward" {
		target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { _, _ = io.Copy(io.Discard, req.Body) }))
		b.Cleanup(target.Close)
		server.Env = append(server.Env, targetVariable+"="+target.URL)
	}
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); _ = server.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// counter makes the requests, each with a different id.
func counter(b *testing.B, event webhook.EventName, payload []byte) func() []byte {
	b.Helper()
	r, err := receiver.New(secret)
	if err != nil {
		b.Fatal(err)
	}
	signature, err := r.Sign(payload)
	if err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	return func() []byte {
		return fmt.Appendf(nil, "POST /api/host/webhooks HTTP/1.1\r\nHost: bench\r\nUser-Agent: Host-Hookshot/1\r\nAccept: */*\r\nContent-Type: application/json\r\n"+
			"X-Host-Event: %s\r\nX-Host-Delivery: 72d3162e-cc78-11e3-81ab-%012d\r\nX-Host-Signature-256: %s\r\nContent-Length: %d\r\n\r\n%s",
			event, n.Add(1), signature, len(payload), payload)
	}
}

// send posts n requests over a few connections and requires 200 for each.
func send(b *testing.B, addr string, n int, next func() []byte) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	must.Together(connections, func(int) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		answers := bufio.NewReader(conn)
		for left.Add(-1) >= 0 {
			if _, err := conn.Write(next()); err != nil {
				b.Error(err)
				return
			}
			answer, err := http.ReadResponse(answers, nil)
			if err != nil || answer.StatusCode != http.StatusOK {
				b.Error("not accepted:", answer, err)
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
		}
	})
}

func usedCPU(b *testing.B, addr string) int64 {
	b.Helper()
	answer, err := http.Get("http://" + addr + "/cpu")
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	used, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return used
}
