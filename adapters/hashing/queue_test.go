package hashing

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"golang.org/x/crypto/bcrypt"
)

// full returns a Hasher whose only slot is taken, with a queue of two.
func full(t *testing.T) *Hasher {
	t.Helper()
	h := must.Get(New(Config{Cost: MinCost, Workers: 1, Queue: 2}))(t)
	must.Do(t, h.acquire(t.Context()))
	return h
}

// queue starts n callers, waits until they are queued and returns their errors.
func queue(ctx context.Context, t *testing.T, h *Hasher, n int) <-chan error {
	t.Helper()
	done := make(chan error, n)
	before := h.CountWaiting()
	for range n {
		go func() { done <- h.acquire(ctx) }()
	}
	if !poll.Until(func() bool { return h.CountWaiting() >= before+n }) {
		t.Fatalf("%d wait", h.CountWaiting())
	}
	return done
}

func TestACallerIsRefusedAtOnceWhenTheQueueIsFull(t *testing.T) {
	h := full(t)
	waiting := queue(t.Context(), t, h, 2)
	_, err := h.HashPassword(t.Context(), "correct horse")
	if !errors.Is(err, ErrBusy) || fault.As(err).RetryAfter <= 0 {
		t.Errorf("the third caller: %v", err)
	}
	must.Refuse(t, must.Err(h.VerifyPassword(t.Context(), "", "correct horse")), ErrBusy, "verify")
	if h.CountRefused() != 2 {
		t.Errorf("%d were refused, want 2", h.CountRefused())
	}
	must.Refuse(t, must.Err(h.FingerprintPassword(t.Context(), "correct horse", nil)), ErrBusy, "fingerprint")
	for range 2 {
		h.release()
		if err := <-waiting; err != nil {
			t.Error(err)
		}
	}
	h.release()
	if _, err := h.HashPassword(t.Context(), "correct horse"); err != nil || h.CountWaiting() != 0 {
		t.Errorf("after the queue has drained: %v, %d wait; want 0", err, h.CountWaiting())
	}
}

func TestACallerThatStopsWaitingLeavesTheQueue(t *testing.T) {
	h := full(t)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := queue(ctx, t, h, 2)
	cancel()
	for range 2 {
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	again := queue(t.Context(), t, h, 1)
	h.release()
	if err := <-again; err != nil {
		t.Error(err)
	}
}

// counted returns a Hasher that counts the work it does beside the comparison itself, in
// hashes of the lowest cost, and whose clock shows nothing but that work.
func counted(t *testing.T, cost int) (h *Hasher, spent func() int) {
	t.Helper()
	h = must.Get(New(Config{Cost: cost}))(t)
	clock, worked := time.Time{}, 0
	h.now = func() time.Time { return clock }
	h.work = func(cost int, _ []byte) {
		worked += 1 << (cost - bcrypt.MinCost)
		clock = clock.Add(time.Millisecond << (cost - bcrypt.MinCost))
	}
	return h, func() int {
		was := worked
		worked = 0
		return was
	}
}

// With a comparison that takes no time, every hash of another program is followed by the
// work of a whole hash of today's cost, whether or not the password is right.
func TestASignInDoesTheSameWorkForACheapImportedHashAsForAny(t *testing.T) {
	const cost, rightPassword = 12, user.Password("password")
	h, spent := counted(t, cost)
	whole := 1 << (cost - bcrypt.MinCost)
	for _, hash := range []string{
		"$pbkdf2$i=4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE",
		"pbkdf2_sha1$4096$salt$SwB5AbdlSJq+rUnZJvch0GWkKcE=",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$scrypt$ln=1,r=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
	} {
		for _, typed := range []user.Password{rightPassword, "wrong"} {
			if _, _, err := h.VerifyPassword(t.Context(), hash, typed); err != nil {
				t.Fatal(err)
			}
			if got := spent(); got != whole {
				t.Errorf("%s, %s: %d of %d hashes of the lowest cost", hash, typed, got, whole)
			}
		}
	}
	for hash, own := range map[string]int{"": 0, "no hash": 0, "$argon2id$v=19$m=999999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc": 0, cheapBcrypt(t, 4): 1, cheapBcrypt(t, 6): 4} {
		for _, typed := range []user.Password{rightPassword, "wrong"} {
			if _, _, err := h.VerifyPassword(t.Context(), hash, typed); err != nil {
				t.Fatal(err)
			}
			if got := spent() + own; got != whole {
				t.Errorf("%q, %s: %d of %d hashes of the lowest cost", hash, typed, got, whole)
			}
		}
	}
}

func cheapBcrypt(t *testing.T, cost int) string {
	t.Helper()
	hash := must.Get(bcrypt.GenerateFromPassword([]byte("password"), cost))(t)
	return string(hash)
}

func TestOnlyOneComparisonAtATimeUsesMuchMemory(t *testing.T) {
	h := must.Get(New(Config{Cost: MinCost, Workers: 4}))(t)
	must.Get(h.acquireLarge(t.Context()))(t)
	large := []string{
		"$argon2id$v=19$m=65537,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2i$v=19$m=65537,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
	}
	done := make(chan error, len(large))
	for _, hash := range large {
		go func() {
			_, _, err := h.VerifyPassword(t.Context(), hash, "password")
			done <- err
		}()
	}
	for _, small := range []string{"", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"} {
		if _, _, err := h.VerifyPassword(t.Context(), small, "password"); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-done:
		t.Fatalf("a second large comparison did not wait: %v", err)
	default:
	}
	h.releaseLarge()
	for range large {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
