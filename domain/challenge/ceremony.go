package challenge

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// MaxState limits the state of a ceremony, in bytes. The answer to an exchange has an ID token with every role and
// group of a person.
const MaxState = 128 << 10

// Ceremony is the server's part of something that a client does in several requests, such
// as a sign-in with a second factor. Only the client that began it knows its id, which is
// a token from NewLink. It can be finished once.
type Ceremony struct {
	Purpose              Purpose
	Digest               [sha256.Size]byte // see Key.CeremonyDigest
	User                 user.ID           // 0 if nobody is known yet
	Browser              string            // the User-Agent of the client that began it
	State                []byte            // what the purpose needs, at most MaxState bytes
	Attempts             int               // wrong answers so far
	CreatedAt, ExpiresAt time.Time
}

// CeremonyDigest returns the digest under which the ceremony with an id is stored.
func (k Key) CeremonyDigest(p Purpose, id string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k[:])
	fmt.Fprintf(mac, "ceremony %s %s", p, id)
	return [sha256.Size]byte(mac.Sum(nil))
}

// DeviceDigest returns the digest under which a device is remembered for a user. The token
// in its cookie is from NewLink.
func (k Key) DeviceDigest(of user.ID, token string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k[:])
	fmt.Fprintf(mac, "device %d %s", of, token)
	return [sha256.Size]byte(mac.Sum(nil))
}
