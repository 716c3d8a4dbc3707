// Package system gives the core what a machine has: the time, and numbers that
// nobody had before.
package system

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"
)

// Clock tells the time in UTC, cut to the microsecond that stores keep.
type Clock struct{}

// Now is the present.
func (Clock) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

const (
	// epoch is where ids begin: 2024-01-01. 41 bits of milliseconds last until 2093.
	epoch      = 1704067200000
	randomBits = 22
	randomMask = 1<<randomBits - 1
)

// IDs makes 63-bit ids in the order of their creation: milliseconds, then 22
// bits that begin at random in every millisecond and count up within it. Two
// processes that make an id in the same millisecond agree on it once in two
// million times; the primary key refuses the second.
type IDs struct {
	clock  interface{ Now() time.Time }
	random io.Reader

	mu   sync.Mutex
	last int64
}

// NewIDs makes a source of ids.
func NewIDs(clock interface{ Now() time.Time }, random io.Reader) *IDs {
	return &IDs{clock: clock, random: random}
}

// Next is greater than all before it, also when the clock is set back. It
// panics when there is no randomness left, which a system never comes back from.
func (g *IDs) Next() int64 {
	start := g.draw()
	now := g.clock.Now().UnixMilli() - epoch
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(now<<randomBits|start, g.last+1)
	return g.last
}

// draw leaves the upper half of the range free, for counting up.
func (g *IDs) draw() int64 {
	var b [4]byte
	if _, err := io.ReadFull(g.random, b[:]); err != nil {
		panic(fmt.Errorf("no randomness: %w", err))
	}
	return int64(binary.BigEndian.Uint32(b[:]) & (randomMask >> 1))
}
