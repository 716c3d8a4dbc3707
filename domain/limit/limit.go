// Package limit says how often something may be done.
package limit

import "github.com/octavo-books/octavo/domain/fault"

// ErrExceeded refuses what was done too often; After says when to come back.
var ErrExceeded = fault.New(fault.Limited, "rate_limited", "Too many attempts. Please wait a moment.")
