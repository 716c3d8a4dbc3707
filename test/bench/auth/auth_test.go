//go:build !windows

// Package auth measures the built program's auth service over HTTP. The Floor benchmarks measure
// the cryptography that an operation needs.
package auth

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/token"
	core "github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/test/must"
	"golang.org/x/crypto/bcrypt"
)

const (
	cost     = 10
	password = "correct horse battery"
)

const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func hash(b testing.TB) string {
	b.Helper()
	h := must.Get(bcrypt.GenerateFromPassword([]byte(password), cost))(b)
	return string(h)
}

// cpu returns the processor time that the process has used.
func cpu(b testing.TB) time.Duration {
	b.Helper()
	var r syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// measure reports the processor time of fn for each operation.
func measure(b *testing.B, fn func()) {
	b.Helper()
	b.ReportAllocs()
	before, n := cpu(b), 0
	for b.Loop() {
		fn()
		n++
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(n)/1e6, "cpu-ms/op")
}

func BenchmarkFloorBcrypt(b *testing.B) {
	h := []byte(hash(b))
	measure(b, func() { _ = bcrypt.CompareHashAndPassword(h, []byte(password)) })
}

func BenchmarkFloorSignature(b *testing.B) {
	public, private := must.Get2(token.Generate())(b)
	key := must.Get(token.ParsePair(public, private))(b)
	tokens := must.Get(token.New(token.Config{Key: key, Issuer: "https://octavo.example", Audience: "octavo"}))(b)
	now := time.Now()
	c := core.Claims{User: 1, Session: 2, IssuedAt: now, ExpiresAt: now.Add(time.Minute)}
	measure(b, func() { must.Get(tokens.SignToken(c))(b) })
}

// report reports the median time of each kind, and the difference between the greatest
// and the smallest.
func report(b *testing.B, kinds []string, times map[string][]time.Duration) {
	b.Helper()
	var medians []float64
	for _, kind := range kinds {
		slices.Sort(times[kind])
		m := float64(times[kind][len(times[kind])/2]) / 1e6
		medians = append(medians, m)
		b.ReportMetric(m, kind+"-ms")
	}
	b.ReportMetric(100*(slices.Max(medians)/slices.Min(medians)-1), "spread-%")
}
