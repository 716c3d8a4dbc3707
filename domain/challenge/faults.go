// Package challenge holds the codes and links that prove that somebody reads an address.
package challenge

import "github.com/octavo-books/octavo/domain/fault"

// The errors. None says what was wrong.
var (
	ErrCodeInvalid = fault.New(fault.Invalid, "code_invalid", "This code is wrong, has expired or has already been used.")
	ErrLinkInvalid = fault.New(fault.NotFound, "link_invalid", "This link is invalid or has expired.")
	// ErrCeremonyInvalid rejects the id of a ceremony.
	ErrCeremonyInvalid = fault.New(fault.Invalid, "challenge_invalid", "This took too long or was already finished. Please start again.")
)
