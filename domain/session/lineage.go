package session

import (
	"crypto/sha256"
	"time"
)

// Lineage is what a store keeps of a session's refresh tokens: enough to check
// one, not enough to make one.
type Lineage struct {
	Secret    [32]byte          // makes the tags of tokens, together with the client's half
	Half      [sha256.Size]byte // hash of the client's half
	N         int64             // the newest token that was issued
	SeenN     int64             // the newest token that is known to have arrived
	RotatedAt time.Time         // when token N was issued first
}
