package user

import (
	"crypto/sha256"
	"time"
)

// UndoPeriod is how long after its request a change of address can be undone. Until then
// nobody else can get the old address.
const UndoPeriod = 7 * 24 * time.Hour

// rememberEmails is how long a change of address is remembered after its request. Deleting the
// account also erases mails to the old address, which may be stored for that long.
const rememberEmails = 100 * 24 * time.Hour

// EmailChange is a change of a user's address.
type EmailChange struct {
	ID          int64
	User        ID
	From, To    Email
	Password    [sha256.Size]byte // PasswordMark at the time of the request
	RequestedAt time.Time
	ConfirmedAt time.Time // zero until the user has entered the code mailed to the new address
}

// ForgetAt returns when the record of the change is to be deleted.
func (c EmailChange) ForgetAt() time.Time { return c.RequestedAt.Add(rememberEmails) }

// PasswordMark is a digest of the hash of a user's password. It changes with the password.
func (u User) PasswordMark() [sha256.Size]byte { return sha256.Sum256([]byte(u.PasswordHash)) }
