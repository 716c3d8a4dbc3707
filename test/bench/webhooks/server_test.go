//go:build !windows

// Package webhooks measures the cost of a delivery: the CPU time of a server
// process, for the library, for the durable service on SQLite and for
// a handler that only hashes the body, in the same run.
//
//	go test -run '^$' -bench . -benchtime 20000x ./test/bench/webhooks
package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/forward"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

const (
	secret = "it is no secret"
	// serverVariable makes the test binary a server of that kind.
	serverVariable = "OCTAVO_BENCH_SERVER"
	// targetVariable is the target of the durable service.
	targetVariable = "OCTAVO_BENCH_TARGET"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(serverVariable); kind != "" {
		serve(kind)
		return
	}
	os.Exit(m.Run())
}

// serve prints its address and runs until its standard input is closed.
func serve(kind string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", handlers[kind]())
	mux.HandleFunc("GET /cpu", cpu)
	go func() { panic(http.Serve(listener, mux)) }()
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	cleanup()
}

// cpu answers with the CPU time that the process has used, in microseconds.
func cpu(w http.ResponseWriter, _ *http.Request) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	fmt.Fprint(w, (used.Utime.Nano()+used.Stime.Nano())/1000)
}

var handlers = map[string]func() http.Handler{
	"floor":                func() http.Handler { return http.HandlerFunc(hashOnly) },
	"library":              func() http.Handler { return library(0, 1) },
	"library_10_matching":  func() http.Handler { return library(0, 10) },
	"library_10000_others": func() http.Handler { return library(10_000, 10) },
	"durable":              durable,
	"durable_forward":      durable,
}

// hashOnly is the minimum that any receiver must do.
func hashOnly(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	given, _ := hex.DecodeString(strings.TrimPrefix(req.Header.Get("X-Host-Signature-256"), "sha256="))
	if !hmac.Equal(given, mac.Sum(nil)) {
		http.Error(w, "wrong signature", http.StatusBadRequest)
		return
	}
	fmt.Fprint(w, "ok")
}

// library has handlers for other events, and some that match the deliveries.
func library(others, matching int) http.Handler {
	r, err := receiver.New(secret)
	if err != nil {
		panic(err)
	}
	h := receiver.Func(func(context.Context, webhook.Event) error { return nil })
	names := webhook.EventNames()
	for i := range others {
		name := names[i%len(names)]
		if strings.HasPrefix(string(name), "pu") { // the benchmarks send push and pull_request
			name = "star"
		}
		check(r.On(h, name))
	}
	for range matching {
		check(r.On(h, "push", "pull_request"))
	}
	return webhookhttp.Handler(r, webhookhttp.Options{})
}

// durable stores every delivery in SQLite before it answers, and forwards it to
// targetVariable, if set.
func durable() http.Handler {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "octavo-bench-")
	check(err)
	silent := slog.New(slog.DiscardHandler)
	db, err := gormstore.Open(ctx, "sqlite:"+filepath.Join(folder, "inbox.db"), silent)
	check(err)
	check(db.Migrate(ctx, inboxstore.Migrations))
	store := inboxstore.New(db)
	var rules []inbox.Rule
	if target := os.Getenv(targetVariable); target != "" {
		rules = []inbox.Rule{{Match: "*", URL: target, Concurrency: 16}}
	}
	service, err := serving.New(inbox.Ports{
		Store: store, Forwarder: forward.New("bench"), Meter: meter{},
		Clock: system.Clock{}.Now, IDs: system.NewIDs(system.Clock{}, rand.Reader).Next, Random: rand.Reader,
	}, serving.DefaultConfig(), rules, secret, silent)
	check(err)
	check(service.Recover(ctx))
	go service.Run(ctx)
	cleanup = func() { check(os.RemoveAll(folder)) }
	r, err := receiver.New(secret)
	check(err)
	check(r.OnAny(receiver.ActionFunc(service.Accept)))
	return webhookhttp.Handler(r, webhookhttp.Options{MustFinish: true})
}

// cleanup removes the server's files.
var cleanup = func() {}

// meter discards all metrics.
type meter struct{}

func (meter) CountDelivery(string, string)                 {}
func (meter) ObserveForward(string, string, time.Duration) {}
func (meter) ObserveBacklog(inbox.Stats, time.Duration)    {}
func (meter) ObservePausedRules(int)                       {}
func (meter) CountUnmatched(string)                        {}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
