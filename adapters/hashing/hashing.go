// Package hashing keeps passwords as bcrypt hashes and bounds how many are
// computed at once, so that a flood of sign-ins starves nothing else.
package hashing

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"golang.org/x/crypto/bcrypt"
)

// ErrBusy refuses what comes when the queue is full.
var ErrBusy = fault.New(fault.Unavailable, "unavailable", "Too many people are signing in right now. Please try again in a moment.")

// ErrHash refuses a hash from elsewhere.
var ErrHash = fault.New(fault.Invalid, "hash_invalid", "The hash is none of bcrypt up to cost 15, argon2id or argon2i up to 256 MiB and 10 passes, scrypt up to 2^20 and PBKDF2, the latter in PHC form.")

// The costs that a new hash may have; each step takes twice as long.
const (
	MinCost = 10
	MaxCost = 15
)

const (
	maxBcrypt = 72 // bytes that bcrypt looks at
	// digested marks a bcrypt hash of base64(SHA-384(password)), which is how
	// longer passwords are kept without cutting them.
	digested = "sha384:"
)

// Config is what an operator decides.
type Config struct {
	Cost    int // BCRYPT_COST
	Workers int // hashes at once; 0: as many as processors
	Queue   int // callers that wait beyond those; 0: 32 for each worker
}

// Validate names the first setting that cannot be.
func (c Config) Validate() error {
	switch {
	case c.Cost < MinCost || c.Cost > MaxCost:
		return fmt.Errorf("BCRYPT_COST must be %d to %d, not %d", MinCost, MaxCost, c.Cost)
	case c.Workers < 0 || c.Queue < 0:
		return errors.New("workers and queue of the password hashing must not be negative")
	}
	return nil
}

// Hasher hashes and compares. It is safe for many goroutines.
type Hasher struct {
	cost    int
	slots   chan struct{}
	queue   int64
	waiting atomic.Int64
	refused atomic.Int64
	large   chan struct{} // held while comparing takes more than 64 MiB
}

// New makes a Hasher.
func New(c Config) (*Hasher, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	workers := c.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	queue := c.Queue
	if queue == 0 {
		queue = 32 * workers
	}
	return &Hasher{cost: c.Cost, slots: make(chan struct{}, workers), queue: int64(queue), large: make(chan struct{}, 1)}, nil
}

// CountWaiting is how many callers are in the queue.
func (h *Hasher) CountWaiting() int { return int(h.waiting.Load()) }

// CountRefused is how many callers found the queue full.
func (h *Hasher) CountRefused() int64 { return h.refused.Load() }

// HashPassword makes the hash to keep of a password.
func (h *Hasher) HashPassword(ctx context.Context, p user.Password) (string, error) {
	if err := h.acquire(ctx); err != nil {
		return "", err
	}
	defer h.release()
	prefix, text := "", []byte(p)
	if len(text) > maxBcrypt {
		prefix, text = digested, digest(p)
	}
	hash, err := bcrypt.GenerateFromPassword(text, h.cost)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return prefix + string(hash), nil
}

// VerifyPassword reports whether the hash was made of the password, and whether it
// should be made anew because its cost is not today's. An empty or broken hash is
// never right. All take as long as a hash of today's cost, so that nobody tells
// from the time what there was to compare with; only a hash of a higher cost takes
// longer, until its owner signs in.
func (h *Hasher) VerifyPassword(ctx context.Context, hash string, p user.Password) (right, outdated bool, err error) {
	if err := h.acquire(ctx); err != nil {
		return false, false, err
	}
	defer h.release()
	if other, err := parsePHC(hash); err == nil {
		right, err = h.verifyPHC(ctx, &other, []byte(p))
		return right, right, err
	}
	text, long := []byte(p), len(p) > maxBcrypt
	hash, isDigest := strings.CutPrefix(hash, digested)
	if isDigest {
		text = digest(p)
	} else if long {
		hash, text = "", text[:maxBcrypt] // no plain hash was ever made of it
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil {
		compareNothing(h.cost, text)
		return false, false, nil
	}
	right = bcrypt.CompareHashAndPassword([]byte(hash), text) == nil
	// A hash of a lower cost is topped up: 2^c + 2^c + 2^(c+1) + … + 2^(cost-1) = 2^cost.
	for c := cost; c < h.cost; c++ {
		compareNothing(c, text)
	}
	return right, right && cost != h.cost, nil
}

// verifyPHC compares with the hash of another program and then works for what a bcrypt
// hash of today's cost would have taken more. Only a slower hash takes longer, until its
// owner signs in.
func (h *Hasher) verifyPHC(ctx context.Context, other *phc, text []byte) (bool, error) {
	if other.large() {
		select {
		case h.large <- struct{}{}:
			defer func() { <-h.large }()
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	began := time.Now()
	right := other.matches(text)
	spent := time.Since(began)
	text = text[:min(len(text), maxBcrypt)]
	for _, cost := range topUp(spent, measureCheapest(text), h.cost) {
		compareNothing(cost, text)
	}
	return right, nil
}

// measureCheapest times a hash of the lowest cost; the best of three, as another
// process may interrupt it.
func measureCheapest(text []byte) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		began := time.Now()
		compareNothing(bcrypt.MinCost, text)
		best = min(best, time.Since(began))
	}
	return max(best, time.Microsecond)
}

// topUp returns the costs of bcrypt hashes that take, with the time spent, as long as one
// of the cost. A hash of the lowest cost takes cheapest.
func topUp(spent, cheapest time.Duration, cost int) (costs []int) {
	missing := (cheapest<<(cost-bcrypt.MinCost) - spent) / cheapest
	for c := cost; c >= bcrypt.MinCost; c-- {
		if share := time.Duration(1) << (c - bcrypt.MinCost); missing >= share {
			costs = append(costs, c)
			missing -= share
		}
	}
	return costs
}

// fingerprintRounds makes a mark of some cost about as much work as a hash of it.
func fingerprintRounds(cost int) int { return 60 << cost }

// FingerprintPassword is the same for the same password and salt, which a bcrypt hash is not.
func (h *Hasher) FingerprintPassword(ctx context.Context, p user.Password, salt []byte) ([32]byte, error) {
	if err := h.acquire(ctx); err != nil {
		return [32]byte{}, err
	}
	defer h.release()
	key, err := pbkdf2.Key(sha512.New, string(p), salt, fingerprintRounds(h.cost), 32)
	if err != nil {
		return [32]byte{}, fmt.Errorf("mark a password: %w", err)
	}
	return [32]byte(key), nil
}

// plain is a bcrypt hash as all programs write it. 2x marks those of a program
// that hashed some passwords wrongly.
var plain = regexp.MustCompile(`^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$`)

// CheckHash refuses what VerifyPassword could not compare, or not in a bounded time.
func (h *Hasher) CheckHash(hash string) error {
	if _, err := parsePHC(hash); err == nil {
		return nil
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil || cost > MaxCost || !plain.MatchString(hash) {
		return ErrHash
	}
	return nil
}

// compareNothing works for one hash of the cost and is never right.
func compareNothing(cost int, text []byte) {
	const anything = "abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
	_ = bcrypt.CompareHashAndPassword(fmt.Appendf(nil, "$2a$%02d$%s", cost, anything), text)
}

func digest(p user.Password) []byte {
	sum := sha512.Sum384([]byte(p))
	return base64.StdEncoding.AppendEncode(nil, sum[:])
}

// acquire waits for a slot, in the order of coming, or refuses at once.
func (h *Hasher) acquire(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	default:
	}
	if h.waiting.Add(1) > h.queue {
		h.waiting.Add(-1)
		h.refused.Add(1)
		return ErrBusy.After(5 * time.Second)
	}
	defer h.waiting.Add(-1)
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *Hasher) release() { <-h.slots }
