// Package system implements the ports for the current time and for unique ids.
package system

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/id"
)

// Clock returns the system time in UTC, truncated to the microsecond, which is the
// precision of the stores.
type Clock struct{}

// Now returns the current time.
func (Clock) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

const randomMask = 1<<id.RandomBits - 1

// IDs generates 63-bit ids in the order of creation: milliseconds, then 22 bits that
// start at random in every millisecond and count up within it. Two processes that
// generate an id in the same millisecond collide once in two million times; the primary
// key rejects the second.
type IDs struct {
	clock  interface{ Now() time.Time }
	random io.Reader

	mu   sync.Mutex
	last int64
}

// NewIDs returns a generator of ids.
func NewIDs(clock interface{ Now() time.Time }, random io.Reader) *IDs {
	return &IDs{clock: clock, random: random}
}

// Next returns an id greater than all before it, even if the clock was set back. It
// panics if random fails, which a system does not recover from.
func (g *IDs) Next() int64 {
	start := g.draw()
	now := g.clock.Now().UnixMilli() - id.Epoch
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(now<<id.RandomBits|start, g.last+1)
	return g.last
}

// draw returns the start within a millisecond. It leaves the upper half of the range
// for counting up.
func (g *IDs) draw() int64 {
	var b [4]byte
	if _, err := io.ReadFull(g.random, b[:]); err != nil {
		panic(fmt.Errorf("no randomness: %w", err))
	}
	return int64(binary.BigEndian.Uint32(b[:]) & (randomMask >> 1))
}
