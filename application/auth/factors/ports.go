package factors

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
)

// SecondFactor is the authenticator app of a user, with the recovery codes that replace it.
type SecondFactor struct {
	User         user.ID
	SealedSecret []byte // a totp.Secret, sealed by a Sealer
	StartedAt    time.Time
	ConfirmedAt  time.Time // zero until the user has entered a first code; sign-ins do not ask for it before
	LastStep     int64     // the last step whose code was used
	Recovery     []totp.Digest
}

// On reports whether sign-ins ask for the second factor.
func (f SecondFactor) On() bool { return !f.ConfirmedAt.IsZero() }

// RememberedDevice is a browser on which a user need not repeat the second factor.
type RememberedDevice struct {
	User      user.ID
	Digest    [sha256.Size]byte // of the token in its cookie, see challenge.Key.DeviceDigest
	Epoch     int64             // of the user: a newer one forgets the device
	ExpiresAt time.Time
}

// MaxRememberedDevices limits the remembered devices of one user. Remembering another one
// forgets the one that expires first.
const MaxRememberedDevices = 20

// Reader is what the room of second factors and passkeys reads. authcontract.SecondFactors and
// authcontract.Passkeys test it and Store.
type Reader interface {
	// HasSecondFactor reports whether a user's second factor is on.
	HasSecondFactor(ctx context.Context, of user.ID) (bool, error)
	// CountRecoveryCodes returns how many recovery codes a user has not used, and whether the second factor is on.
	CountRecoveryCodes(ctx context.Context, of user.ID) (left int, on bool, err error)
	// IsRememberedDevice reports whether one of the digests is that of an unexpired device
	// of the user, remembered in this epoch.
	IsRememberedDevice(ctx context.Context, of user.ID, epoch int64, digests [][sha256.Size]byte, now time.Time) (bool, error)
	// ListPasskeys returns a user's passkeys, oldest first.
	ListPasskeys(ctx context.Context, of user.ID) ([]passkey.Passkey, error)
}

// Store stores second factors and passkeys.
type Store interface {
	// LockSecondFactor returns a user's second factor, on or not; ErrSecondFactorOff if
	// there is none.
	LockSecondFactor(ctx context.Context, of user.ID) (SecondFactor, error)
	// PutSecondFactor inserts or updates a second factor.
	PutSecondFactor(ctx context.Context, f SecondFactor) error
	// DeleteSecondFactor deletes a user's second factor and remembered devices. A user
	// without one is ignored.
	DeleteSecondFactor(ctx context.Context, of user.ID) error
	// RememberDevice stores a device. It requires a lock on its user.
	RememberDevice(ctx context.Context, d RememberedDevice) error

	// LockPasskeys returns a user's passkeys, oldest first.
	LockPasskeys(ctx context.Context, of user.ID) ([]passkey.Passkey, error)
	// AddPasskey stores a passkey; passkey.ErrInvalid if another one has its credential id.
	AddPasskey(ctx context.Context, p passkey.Passkey) error
	// SavePasskeyUse stores the counter and the last use.
	SavePasskeyUse(ctx context.Context, p passkey.Passkey) error
	// DeletePasskeys deletes those passkeys of a user with one of the ids and returns
	// their number.
	DeletePasskeys(ctx context.Context, of user.ID, ids ...passkey.ID) (int, error)
}
