package httpx

import (
	"crypto/sha256"
	"crypto/subtle"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
)

const (
	maxTries  = 10 // wrong tokens that a client may try in a minute
	maxTrying = 10_000
)

// The refusals of OperatorToken.
var (
	ErrWrongToken    = fault.New(fault.Unauthenticated, "token_wrong", "The token is wrong.")
	ErrTooManyTokens = fault.New(fault.Limited, "too_many_tries", "Too many wrong tokens. Wait a minute and try again.").After(time.Minute)
)

// OperatorToken is a token of the operator that programs send, and limits how often a client may
// try a wrong one in a minute. Beyond maxTrying, new clients share one limit, so that many
// addresses cannot exhaust the memory or get unlimited attempts.
type OperatorToken struct {
	hash [sha256.Size]byte
	now  func() time.Time

	mu       sync.Mutex
	until    time.Time      // when the minute ends, for all clients
	byClient map[string]int // by limit.ClientKey
}

// NewOperatorToken returns a token that has not been tried.
func NewOperatorToken(token string, now func() time.Time) *OperatorToken {
	return &OperatorToken{hash: sha256.Sum256([]byte(token)), now: now}
}

// Verify returns ErrWrongToken unless a client has sent the token, and ErrTooManyTokens,
// whatever it has sent, after too many wrong ones. Comparing hashes takes constant time whatever
// the length of the given token.
func (t *OperatorToken) Verify(ip, given string) error {
	hash := sha256.Sum256([]byte(given))
	right := subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1
	t.mu.Lock() // compared and counted in one step, so that many at once count as many
	defer t.mu.Unlock()
	tried := t.counter(limit.ClientKey(ip))
	switch {
	case t.byClient[tried] >= maxTries:
		return ErrTooManyTokens
	case right:
		return nil
	}
	t.byClient[tried]++
	return ErrWrongToken
}

// counter returns the key of a client in byClient, which begins anew each minute.
func (t *OperatorToken) counter(client string) string {
	if now := t.now(); !now.Before(t.until) {
		t.until, t.byClient = now.Add(time.Minute), map[string]int{}
	}
	if _, known := t.byClient[client]; !known && len(t.byClient) >= maxTrying {
		return "others"
	}
	return client
}
