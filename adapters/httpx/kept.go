package httpx

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// Kept is a kind of cookie of which a browser has several at once, one for each thing that it has
// begun, so that two tabs do not disturb each other. A key tells them apart. Their number and size
// are bounded, because a browser sends all of them with every request: the oldest go first.
type Kept struct {
	cookies Cookies
	prefix  string
	bytes   int // of all values together
}

const (
	maxKept   = 6
	keptBytes = 3000 // of values of one kind
	// MaxRequest bounds the request of an application that a browser keeps, in bytes. With its name it
	// is just what browsers accept as one cookie.
	MaxRequest = 3900
	keyLength  = 12
)

// ExternalSignIns keeps what external sign-ins need until the browser comes back. The cookies are
// SameSite=Lax whatever the others are, because the browser comes back from another site.
func (c Cookies) ExternalSignIns() Kept { return Kept{c.lax(), c.externalSignIn + "_", keptBytes} }

// MailedCodes keeps the external sign-ins that wait for a mailed code.
func (c Cookies) MailedCodes() Kept { return Kept{c.lax(), c.mailedCode + "_", keptBytes} }

// RemoteSessions keeps what providers call the sessions that they have begun for this browser. Their
// messages about the end come from other sites.
func (c Cookies) RemoteSessions() Kept { return Kept{c.lax(), c.remoteSession + "_", keptBytes} }

// Challenges keeps the challenges of sign-ins that wait for the second factor.
func (c Cookies) Challenges() Kept { return Kept{c, c.challenge + "_", keptBytes} }

// Requests keeps the requests of applications until somebody has signed in. They arrive from other
// sites.
func (c Cookies) Requests() Kept { return Kept{c.lax(), c.request + "_", MaxRequest} }

// signedUpFor is how long a browser remembers that it signed up: as long as the link in the mail is valid.
const signedUpFor = 24 * time.Hour

// SetSignedUp remembers that this browser signed up with an address. The cookie is no proof of anything but that: whoever
// opens the mailed link in another browser is not signed in to an account that somebody else has made.
func (c Cookies) SetSignedUp(w http.ResponseWriter, r *http.Request, email string) {
	c.signUps().Put(w, r, signUpKey(email), "1", signedUpFor)
}

// SignedUp reports whether this browser signed up with an address.
func (c Cookies) SignedUp(r *http.Request, email string) bool {
	return c.signUps().Get(r, signUpKey(email)) != ""
}

// ClearSignedUp forgets that this browser signed up with an address.
func (c Cookies) ClearSignedUp(w http.ResponseWriter, r *http.Request, email string) {
	c.signUps().Clear(w, r, signUpKey(email))
}

func (c Cookies) signUps() Kept { return Kept{c, c.signUp + "_", keptBytes} }

func signUpKey(email string) string {
	sum := sha256.Sum256([]byte(email))
	return KeyOf(hex.EncodeToString(sum[:]))
}

func (c Cookies) lax() Cookies {
	c.cfg.SameSite = http.SameSiteLaxMode
	return c
}

// Key returns a new key.
func (k Kept) Key() string { return rand.Text()[:keyLength] }

// KeyOf returns the key that belongs to a random text, such as a state; "" if the text has none.
func KeyOf(random string) string {
	key := random[:min(len(random), keyLength)]
	if len(key) < keyLength || strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return ""
	}
	return key
}

// Put keeps a value under a key.
func (k Kept) Put(w http.ResponseWriter, r *http.Request, key, value string, d time.Duration) {
	var old []*http.Cookie
	size := len(value)
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, k.prefix) && c.Name != k.prefix+key {
			old = append(old, c)
			size += len(c.Value)
		}
	}
	for len(old) > 0 && (len(old) >= maxKept || size > k.bytes) { // browsers send the oldest first
		size -= len(old[0].Value)
		k.cookies.write(w, old[0].Name, "", -1)
		old = old[1:]
	}
	k.cookies.write(w, k.prefix+key, value, seconds(d))
}

// Newest returns the key of the newest value, "" without one.
func (k Kept) Newest(r *http.Request) (key string) {
	for _, c := range r.Cookies() {
		if at, ok := strings.CutPrefix(c.Name, k.prefix); ok {
			key = at
		}
	}
	return key
}

// Get returns the value of a key, "" without one. Without a key it returns the newest value, for
// a form that was sent without one.
func (k Kept) Get(r *http.Request, key string) string {
	return value(r, k.prefix+cmp.Or(key, k.Newest(r)))
}

// Clear removes the value of a key, or without a key the newest one.
func (k Kept) Clear(w http.ResponseWriter, r *http.Request, key string) {
	if key = cmp.Or(key, k.Newest(r)); KeyOf(key) == key && key != "" {
		k.cookies.write(w, k.prefix+key, "", -1)
	}
}
