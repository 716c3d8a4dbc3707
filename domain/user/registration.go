package user

import "time"

// Registrations stand side by side until one of the same address is confirmed.
const (
	RegistrationLifetime = 24 * time.Hour
	// MaxRegistrations bounds how many of one address are kept that no mail was
	// sent for; the newest stay. Those with a mail are bounded by how many mails an
	// address may be sent.
	MaxRegistrations = 20
)

// Registration is a sign-up that waits for its address to be confirmed. Whoever
// made it need not be who reads the address.
type Registration struct {
	ID           int64
	Email        Email
	PasswordHash string
	// PasswordFingerprint is the same for the same password, so that sign-ups can be compared;
	// it is bound to the address and worthless without a key.
	PasswordFingerprint [32]byte
	// Contested says that a sign-up before this one had another password, also
	// when that one is gone.
	Contested bool
	// Mailed says that a code or link was sent for it: somebody may be about to
	// use it.
	Mailed               bool
	Lang                 Lang
	Profile              *Profile
	CreatedAt, ExpiresAt time.Time
}

// SetPredecessor notes the sign-up of the same address before this one.
func (r *Registration) SetPredecessor(before Registration) {
	r.Contested = before.Contested || before.PasswordFingerprint != r.PasswordFingerprint
}

// Evict are the ids of those that go when r is added to all others of its
// address, newest first: a stranger who signs up again and again pushes out only
// what nobody has a code or link for.
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

// ContestedAmong reports whether any other sign-up of the address had another
// password: then nobody knows whose it is, and none must be kept.
func (r Registration) ContestedAmong(all []Registration) bool {
	for _, other := range all {
		if other.Contested || other.PasswordFingerprint != r.PasswordFingerprint {
			return true
		}
	}
	return r.Contested
}
