package meeting

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
)

// Code is what the buyer shows and the seller types when they meet, such as 7K3N-Q0ZD. It
// proves that the buyer has agreed to pay, so the seller must not learn it in another way.
type Code string

const (
	codeLen  = 8
	codeHalf = codeLen / 2
)

// Secret is the key of all codes. Without it a code does not follow from anything that is
// stored, so no copy of the database, export or log has codes.
type Secret []byte

// Code returns the code of a proposal. A newer proposal of the same order has another one.
func (s Secret) Code(p Proposal) Code {
	mac := hmac.New(sha256.New, s)
	mac.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(p.Order)), uint64(p.ID)))
	sum := binary.BigEndian.Uint64(mac.Sum(nil))
	digits := make([]byte, codeLen)
	for i := range digits {
		digits[i] = order.CodeDigits[sum%32]
		sum /= 32
	}
	return Code(digits[:codeHalf]) + "-" + Code(digits[codeHalf:])
}

// ParseCode returns a code from what somebody has typed; false if it is none. It accepts what
// order.FoldCode folds.
func ParseCode(s string) (Code, bool) {
	s = order.FoldCode(s)
	if len(s) != codeLen || strings.Trim(s, order.CodeDigits) != "" {
		return "", false
	}
	return Code(s[:codeHalf] + "-" + s[codeHalf:]), true
}

// Matches compares two codes in constant time: how long a refusal takes must not tell how many
// digits are right.
func (c Code) Matches(other Code) bool {
	return subtle.ConstantTimeCompare([]byte(c), []byte(other)) == 1
}

// Wrong codes are limited: of 32^8 codes, twenty tries find the right one in one of fifty
// billion orders.
const (
	TriesPerHour  = 5
	TriesPerOrder = 20
)

// The errors of a hand-over.
var (
	ErrCode = fault.New(fault.Invalid, "handover_code", "This code is wrong. Ask the buyer to show it again.").
		WithField("code", "Must be the code that the buyer shows.")
	ErrSeller      = fault.New(fault.Forbidden, "handover_seller", "Only the seller types the code.")
	ErrNotAccepted = fault.New(fault.Conflict, "meeting_not_accepted", "Agree on a place and a time first.")
	// ErrEarly refuses a code before Proposal.CodeFrom.
	ErrEarly  = fault.New(fault.Conflict, "handover_early", "A code counts from one hour before the agreed time.")
	ErrWait   = fault.New(fault.Limited, "handover_wait", "These were too many wrong codes. Please wait before the next try.")
	ErrLocked = fault.New(fault.Conflict, "handover_locked", "These were too many wrong codes. Only we can complete this sale now. Please ask us for help.")
)

// Tries are the times of the wrong codes of an order, oldest first.
type Tries []time.Time

// Check refuses another try if there were too many.
func (t Tries) Check(now time.Time) error {
	if len(t) >= TriesPerOrder {
		return ErrLocked
	}
	if len(t) < TriesPerHour {
		return nil
	}
	if wait := t[len(t)-TriesPerHour].Add(time.Hour).Sub(now); wait > 0 {
		return ErrWait.After(min(wait, time.Hour)) // longer only after a clock was set back
	}
	return nil
}
