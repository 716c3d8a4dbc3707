// Package id converts ids between their stored form and the wire.
//
// A stored id is a positive 63-bit integer. Ids increase in the order of creation, so that
// one column is primary key, newest-first order and cursor. On the wire an id is a string
// of decimal digits, because a JSON number above 2^53 does not survive a browser.
package id

import (
	"strconv"
	"time"
)

// An id has the milliseconds since Epoch, and RandomBits bits below them.
const (
	// Epoch is 2024-01-01 in Unix milliseconds. The 41 bits above RandomBits last until 2093.
	Epoch      = 1704067200000
	RandomBits = 22
)

// First returns the smallest id that is generated at t or later, by a clock that is right.
func First(t time.Time) int64 {
	return max(0, t.UnixMilli()-Epoch) << RandomBits
}

// Time returns when an id was generated, to the millisecond.
func Time(n int64) time.Time { return time.UnixMilli(n>>RandomBits + Epoch).UTC() }

// Format returns the wire form of an id.
func Format(n int64) string { return strconv.FormatInt(n, 10) }

// Parse parses the wire form. It returns false for anything that Format does not
// return: signs, leading zeros, spaces, zero, overflow.
func Parse(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || Format(n) != s {
		return 0, false
	}
	return n, true
}
