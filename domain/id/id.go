// Package id says how identifiers look from outside.
//
// Inside, an id is a positive 63-bit integer whose order is the order of
// creation, so that one column serves as primary key, as newest-first order and
// as a cursor. On the wire it is a string of decimal digits, because a JSON
// number above 2^53 does not survive a browser.
package id

import "strconv"

// Format writes an id for the wire.
func Format(n int64) string { return strconv.FormatInt(n, 10) }

// Parse reads an id from the wire; false for anything that Format would not
// have written: signs, leading zeros, spaces, zero, overflow.
func Parse(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || Format(n) != s {
		return 0, false
	}
	return n, true
}
