// Package hashing hashes passwords with bcrypt. It limits how many hashes are computed at
// once, so that a flood of sign-ins leaves processor time for other requests.
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

// ErrBusy is returned while the queue is full.
var ErrBusy = fault.New(fault.Unavailable, "unavailable", "Too many people are signing in right now. Please try again in a moment.")

// ErrHash rejects an imported hash. A longer message names the limit that the hash exceeds, or
// the form that it lacks.
var ErrHash = fault.New(fault.Invalid, "hash_invalid", "The hash must be bcrypt, Argon2id, Argon2i, scrypt or PBKDF2 in a form that Octavo reads.")

// MaxCost is the highest cost of a new hash. Each step doubles the time.
const MaxCost = 15

const (
	maxBcrypt = 72 // bytes that bcrypt uses
	// digested marks a bcrypt hash of base64(SHA-384(password)), which is used for
	// longer passwords so that bcrypt does not truncate them.
	digested = "sha384:"
)

// Config holds the operator's settings.
type Config struct {
	Cost    int // BCRYPT_COST
	Workers int // concurrent hashes; 0 means GOMAXPROCS
	Queue   int // callers that may wait; 0 means 32 for each worker
}

// Validate returns an error that names the first invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Cost < MinCost || c.Cost > MaxCost:
		return fmt.Errorf("BCRYPT_COST must be %d to %d, not %d", MinCost, MaxCost, c.Cost)
	case c.Workers < 0 || c.Queue < 0:
		return errors.New("the workers and the queue of password hashing must not be negative")
	}
	return nil
}

// Hasher implements auth.PasswordHasher. It is safe for concurrent use.
type Hasher struct {
	cost    int
	slots   chan struct{}
	queue   int64
	waiting atomic.Int64
	refused atomic.Int64
	large   chan struct{} // held while a comparison uses more than largeMemory

	now  func() time.Time
	work func(cost int, text []byte) // does one comparison of this cost that never matches
}

// New returns a Hasher for a valid Config.
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
	return &Hasher{
		cost: c.Cost, slots: make(chan struct{}, workers), queue: int64(queue), large: make(chan struct{}, 1),
		now: time.Now, work: compareNothing,
	}, nil
}

// CountWaiting returns how many callers are in the queue.
func (h *Hasher) CountWaiting() int { return int(h.waiting.Load()) }

// CountRefused returns how many callers found the queue full.
func (h *Hasher) CountRefused() int64 { return h.refused.Load() }

// HashPassword implements auth.PasswordHasher.
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

// VerifyPassword implements auth.PasswordHasher. A matching hash is outdated if its
// cost is not today's. An empty or broken hash never matches. Every call takes as long
// as a hash of today's cost, so that the time does not reveal what there was to compare
// with; only a hash of a higher cost takes longer, until its owner signs in.
func (h *Hasher) VerifyPassword(ctx context.Context, hash string, p user.Password) (right, outdated bool, err error) {
	if err := h.acquire(ctx); err != nil {
		return false, false, err
	}
	defer h.release()
	if isForeign(hash) {
		right, err = h.verifyForeign(ctx, hash, []byte(p))
		return right, right, err
	}
	text, long := []byte(p), len(p) > maxBcrypt
	hash, isDigest := strings.CutPrefix(hash, digested)
	if isDigest {
		text = digest(p)
	} else if long {
		hash, text = "", text[:maxBcrypt] // HashPassword never makes a plain hash of it
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil || cost > MaxCost {
		h.work(h.cost, text)
		return false, false, nil
	}
	right = bcrypt.CompareHashAndPassword([]byte(hash), text) == nil
	// Pad the time of a lower cost c: 2^c + 2^c + 2^(c+1) + … + 2^(cost-1) = 2^cost.
	for c := cost; c < h.cost; c++ {
		h.work(c, text)
	}
	return right, right && cost != h.cost, nil
}

// verifyForeign compares with an imported hash and then pads the time to that of a bcrypt
// hash of today's cost. Only a slower hash takes longer, until its owner signs in.
func (h *Hasher) verifyForeign(ctx context.Context, hash string, text []byte) (right bool, err error) {
	other, err := parseForeign(hash)
	if err != nil { // a limit was lowered after the import
		h.work(h.cost, text[:min(len(text), maxBcrypt)])
		return false, nil
	}
	began := h.now()
	if other.memory > largeMemory {
		if began, err = h.acquireLarge(ctx); err != nil {
			return false, err
		}
		defer h.releaseLarge()
	}
	right = other.matches(text)
	text = text[:min(len(text), maxBcrypt)]
	cheapest := h.measureCheapest(text)
	for _, cost := range topUp(h.now().Sub(began), cheapest, h.cost) {
		h.work(cost, text)
	}
	return right, nil
}

// acquireLarge waits until no other comparison uses much memory, and returns when that was.
func (h *Hasher) acquireLarge(ctx context.Context) (time.Time, error) {
	select {
	case h.large <- struct{}{}:
		return h.now(), nil
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
}

// releaseLarge first frees the memory of the comparison: otherwise the next one would
// allocate as much again before the garbage collector runs.
func (h *Hasher) releaseLarge() {
	runtime.GC()
	<-h.large
}

// measureCheapest measures a hash of the lowest cost. It returns the best of three,
// because another process may interrupt a measurement.
func (h *Hasher) measureCheapest(text []byte) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		began := h.now()
		h.work(bcrypt.MinCost, text)
		best = min(best, h.now().Sub(began))
	}
	return max(best, time.Microsecond)
}

// topUp returns the costs of bcrypt hashes that, together with the time already spent,
// take as long as one hash of cost. A hash of the lowest cost takes cheapest.
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

// fingerprintRounds makes a fingerprint about as expensive as a hash of this cost.
func fingerprintRounds(cost int) int { return 60 << cost }

// FingerprintPassword implements auth.PasswordHasher with PBKDF2, because bcrypt
// chooses its own salt.
func (h *Hasher) FingerprintPassword(ctx context.Context, p user.Password, salt []byte) ([32]byte, error) {
	if err := h.acquire(ctx); err != nil {
		return [32]byte{}, err
	}
	defer h.release()
	key, err := pbkdf2.Key(sha512.New, string(p), salt, fingerprintRounds(h.cost), 32)
	if err != nil {
		return [32]byte{}, fmt.Errorf("fingerprint a password: %w", err)
	}
	return [32]byte(key), nil
}

// plain matches a bcrypt hash as every program writes it. It excludes $2x$, with which
// some programs mark hashes of a broken implementation.
var plain = regexp.MustCompile(`^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$`)

// CheckHash implements auth.PasswordHasher. It also rejects a hash whose comparison
// would take too long.
func (h *Hasher) CheckHash(hash string) error {
	switch {
	case isForeign(hash):
		_, err := parseForeign(hash)
		return err
	case strings.HasPrefix(hash, "$2"):
		return checkBcrypt(hash)
	}
	return ErrHash
}

// compareNothing does the work of one comparison of this cost and never matches.
func compareNothing(cost int, text []byte) {
	const anything = "abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
	_ = bcrypt.CompareHashAndPassword(fmt.Appendf(nil, "$2a$%02d$%s", cost, anything), text)
}

func digest(p user.Password) []byte {
	sum := sha512.Sum384([]byte(p))
	return base64.StdEncoding.AppendEncode(nil, sum[:])
}

// acquire waits for a slot in the order of arrival, or returns ErrBusy at once.
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
