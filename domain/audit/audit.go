// Package audit holds the entries of the audit log.
package audit

import (
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Entry records a security-relevant action: who did what to whom, when and from where.
// It commits in the same transaction as the action.
type Entry struct {
	ID     int64
	At     time.Time
	Actor  user.ID // 0 if nobody was signed in
	Action string  // e.g. "user.role_set"
	Target string  // id of what the action changed; "" if nothing
	IP     string
	Detail string // never contains a secret
}
