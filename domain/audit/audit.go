// Package audit holds the record of security-relevant acts.
package audit

import (
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Entry says who did what to whom, when and from where. It commits together
// with the act.
type Entry struct {
	ID     int64
	At     time.Time
	Actor  user.ID // 0: nobody signed in
	Action string  // e.g. "user.role_set"
	Target string  // the id of what was acted on, "" if none
	IP     string
	Detail string // never a secret
}
