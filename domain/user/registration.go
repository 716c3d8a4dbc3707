package user

import "time"

// Registrations stand side by side until one of the same address is confirmed.
const (
	RegistrationLife = 24 * time.Hour
	// MaxRegistrations bounds how many of one address are kept; the newest stay.
	MaxRegistrations = 20
)

// Registration is a sign-up that waits for its address to be confirmed. Whoever
// made it need not be who reads the address.
type Registration struct {
	ID           int64
	Email        Email
	PasswordHash string
	// Mark is the same for the same password, so that sign-ups can be compared;
	// it is bound to the address and worthless without a key.
	Mark [32]byte
	// Contested says that a sign-up before this one had another password, also
	// when that one is gone.
	Contested            bool
	Lang                 Lang
	Profile              *Profile
	CreatedAt, ExpiresAt time.Time
}

// Follow notes the sign-up of the same address before this one.
func (r *Registration) Follow(before Registration) {
	r.Contested = before.Contested || before.Mark != r.Mark
}

// Disputed reports whether any other sign-up of the address had another
// password: then nobody knows whose it is, and none must be kept.
func (r Registration) Disputed(all []Registration) bool {
	for _, other := range all {
		if other.Contested || other.Mark != r.Mark {
			return true
		}
	}
	return r.Contested
}
