//go:build linux

package webhooks

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/gobuild"
)

// BenchmarkRules compares the built program with one source and one rule, which matches,
// with 100 sources and 1,000 rules, of which the same one matches: the processor time of a
// delivery, forwarded, and of a second without deliveries. Both programs run, and get
// deliveries in turn.
//
//	go test -run '^$' -bench Rules -benchtime 10x ./test/bench/webhooks
func BenchmarkRules(b *testing.B) {
	round := 500 // deliveries
	if testing.Short() {
		round = 50
	}
	program := buildProgram(b)
	few, many := startProgram(b, program, 1, 1), startProgram(b, program, 100, 1000)
	next := githubDeliveries(b)
	for _, s := range []*builtServer{few, many} {
		send(b, s.addr, round, next)
		s.settle(round)
	}
	for b.Loop() {
		for _, s := range []*builtServer{few, many} {
			before := s.cpu()
			send(b, s.addr, round, next)
			s.settle(round)
			s.used += s.cpu() - before
		}
	}
	deliveries := float64(b.N * round)
	idleFew, idleMany := few.idle(), many.idle()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(few.used.Microseconds())/deliveries, "few-µs/delivery")
	b.ReportMetric(float64(many.used.Microseconds())/deliveries, "many-µs/delivery")
	b.ReportMetric(float64(many.used)/float64(few.used), "ratio")
	b.ReportMetric(float64(idleFew.Microseconds()), "few-idle-µs/s")
	b.ReportMetric(float64(idleMany.Microseconds()), "many-idle-µs/s")
}

// builtServer is the built program with a target of its own.
type builtServer struct {
	b         *testing.B
	addr      string
	pid       int
	used      time.Duration
	forwarded atomic.Int64
	seen      int64
}

var listening = regexp.MustCompile(`Listening on http://([0-9.:]+)`)

func startProgram(b *testing.B, program string, sources, rules int) *builtServer {
	b.Helper()
	s := &builtServer{b: b}
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.forwarded.Add(1)
	}))
	b.Cleanup(target.Close)
	folder := b.TempDir()
	files := map[string]string{"sources.yaml": manySources(sources), "rules.yaml": manyRules(rules, target.URL)}
	for name, text := range files {
		must(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	s.serve(program, folder, "GOMAXPROCS=1", "WEBHOOK_SOURCES="+filepath.Join(folder, "sources.yaml"), "WEBHOOK_RULES="+filepath.Join(folder, "rules.yaml"))
	return s
}

func buildProgram(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "octavo")
	if err := gobuild.Program(b.Context(), "", program, "../../../cmd/octavo"); err != nil {
		b.Fatal(err)
	}
	return program
}

// serve starts the program with its data and log in a folder and waits until it listens.
func (s *builtServer) serve(program, folder string, env ...string) {
	b := s.b
	b.Helper()
	log, err := os.Create(filepath.Join(folder, "log"))
	must(err)
	defer log.Close()
	cmd := exec.Command(program, "serve", "webhooks")
	cmd.Env = append([]string{"DATA_DIR=" + filepath.Join(folder, "data"), "PORT=0", "LOG_LEVEL=warn"}, env...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, child.KillWithParent()
	must(cmd.Start())
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s.pid = cmd.Process.Pid
	for deadline := time.Now().Add(time.Minute); s.addr == ""; <-time.After(20 * time.Millisecond) {
		output, err := os.ReadFile(log.Name())
		must(err)
		if found := listening.FindSubmatch(output); found != nil {
			s.addr = string(found[1])
		} else if time.Now().After(deadline) {
			b.Fatalf("not ready: %s", output)
		}
	}
}

func manySources(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "- {name: s%d, path: /hooks/s%d, sender: github, secrets: [%s]}\n", i, i, secret)
	}
	return text.String()
}

// manyRules has a rule that matches in the middle of others: half of them of any source,
// most with a wildcard.
func manyRules(n int, target string) string {
	var text strings.Builder
	for i := range n {
		match, source := "[issues.*, pull_request.opened, 'release*']", ""
		if i == n/2 {
			match = "[push]"
		}
		if i%2 == 0 {
			source = fmt.Sprintf("source: s%d, ", i/2%100)
		}
		if i == n/2 {
			source = "source: s0, "
		}
		fmt.Fprintf(&text, "- {name: r%d, %smatch: %s, url: %s, concurrency: 4}\n", i, source, match, target)
	}
	return text.String()
}

// githubDeliveries makes the requests of the source s0, each with a different id.
func githubDeliveries(b *testing.B) func() []byte {
	b.Helper()
	payload, _ := sample.Payload("push")
	key, err := webhook.NewKey(secret)
	must(err)
	signature := key.Sign(payload).String()
	var n atomic.Int64
	return func() []byte {
		return fmt.Appendf(nil, "POST /hooks/s0 HTTP/1.1\r\nHost: bench\r\nUser-Agent: GitHub-Hookshot/1\r\nAccept: */*\r\nContent-Type: application/json\r\n"+
			"X-GitHub-Event: push\r\nX-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-%012d\r\nX-Hub-Signature-256: %s\r\nContent-Length: %d\r\n\r\n%s",
			n.Add(1), signature, len(payload), payload)
	}
}

// settle waits until all deliveries are forwarded: those sent so far and those sent now.
func (s *builtServer) settle(sent int) {
	s.b.Helper()
	s.seen += int64(sent)
	for deadline := time.Now().Add(time.Minute); s.forwarded.Load() < s.seen; <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.b.Fatalf("only %d of %d are forwarded", s.forwarded.Load(), s.seen)
		}
	}
}

// idle returns the processor time of a second in which nothing arrives.
func (s *builtServer) idle() time.Duration {
	before := s.cpu()
	<-time.After(5 * time.Second)
	return (s.cpu() - before) / 5
}

// cpu returns the processor time of all threads, from the scheduler's counter.
func (s *builtServer) cpu() (used time.Duration) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.pid))
	must(err)
	for _, t := range threads {
		text, err := os.ReadFile(t)
		must(err)
		var ns int64
		_, err = fmt.Sscan(string(text), &ns)
		must(err)
		used += time.Duration(ns)
	}
	return used
}
