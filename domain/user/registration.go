package user

import "time"

// Several registrations of one address exist side by side until one is confirmed.
const (
	RegistrationLifetime = 24 * time.Hour
	// MaxRegistrations limits the registrations of one address for which no mail was sent;
	// older ones are evicted. Those with a mail are limited by the number of mails that may
	// be sent to an address.
	MaxRegistrations = 20
)

// Registration is a sign-up whose address is not confirmed. The person who made it may
// not be the owner of the address.
type Registration struct {
	ID           int64
	Email        Email
	PasswordHash string
	// PasswordFingerprint is equal for equal passwords of the same address, so that
	// sign-ups can be compared. It is keyed.
	PasswordFingerprint [32]byte
	// Contested says that an earlier sign-up had a different password, even if that one
	// was evicted.
	Contested bool
	// Mailed says that a code or link was sent for it, which somebody may be about to
	// use.
	Mailed               bool
	Lang                 Lang
	Profile              *Profile
	CreatedAt, ExpiresAt time.Time
	// Request is that of an application which waits for the person to sign in, sealed; empty without one.
	Request string
}

// SetPredecessor records the previous sign-up of the same address.
func (r *Registration) SetPredecessor(previous Registration) {
	r.Contested = previous.Contested || previous.PasswordFingerprint != r.PasswordFingerprint
}

// Evict returns the ids of the sign-ups to delete when r is added to all others of its
// address, newest first. It evicts only sign-ups for which no code or link was sent, so
// that a stranger who signs up again and again cannot push out the owner.
func (r Registration) Evict(all []Registration) (ids []int64) {
	room := MaxRegistrations
	if !r.Mailed {
		room--
	}
	for _, other := range all {
		if other.Mailed {
			continue
		}
		if room--; room < 0 {
			ids = append(ids, other.ID)
		}
	}
	return ids
}

// ContestedAmong reports whether any sign-up of the address had a different password.
// Then it is unknown which one is the owner's, and no password must be kept.
func (r Registration) ContestedAmong(all []Registration) bool {
	for _, other := range all {
		if other.Contested || other.PasswordFingerprint != r.PasswordFingerprint {
			return true
		}
	}
	return r.Contested
}
