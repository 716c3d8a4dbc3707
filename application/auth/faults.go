package auth

import "github.com/octavo-books/octavo/domain/fault"

// The errors of the use cases. Errors that belong to a rule are in domain/user,
// domain/session, domain/challenge and domain/limit.
var (
	// ErrInvalidCredentials has one text that lists all reasons, so that it does not
	// reveal which one applies.
	ErrInvalidCredentials = fault.New(fault.Unauthenticated, "invalid_credentials",
		"The address or the password is wrong, the address is not confirmed yet, or the account has no password yet. In that case, reset the password.")
	ErrWrongPassword        = fault.New(fault.Unauthenticated, "invalid_credentials", "The current password is wrong.")
	ErrRegistrationDisabled = fault.New(fault.Forbidden, "registration_disabled", "Sign-ups are closed.")
	ErrCannotDeleteSelf     = fault.New(fault.Conflict, "cannot_delete_self", "You cannot delete your own account.")
	ErrTooMany              = fault.New(fault.Invalid, "bad_request", "At most 100 people can be deleted at once.")
	ErrLastOwner            = fault.New(fault.Invalid, "bad_request", "The last owner cannot be demoted, suspended or deleted.")
	ErrAddressMoved         = fault.New(fault.Conflict, "bad_request", "The address of the account has just been changed. Please try again.")
	ErrCannotSuspendSelf    = fault.New(fault.Invalid, "bad_request", "You cannot suspend yourself.")
	ErrIsOwner              = fault.New(fault.Conflict, "is_owner", "This person is an owner, not an admin.")
	ErrAlreadyVerified      = fault.New(fault.Invalid, "bad_request", "This person already has an account.")
	ErrAlreadyConfirmed     = fault.New(fault.Conflict, "already_confirmed", "This address is already confirmed, and the password was not changed. Sign in with the password that you chose before, or reset it.")
	// ErrSecondFactorRequired answers the right password or mailed code for an account with a
	// second factor. Its detail "challenge" is the input of Sessions.CompleteSignIn.
	ErrSecondFactorRequired = fault.New(fault.Unauthenticated, "second_factor_required", "Enter the code from your authenticator app, or a recovery code.")
	ErrSecondFactorOn       = fault.New(fault.Conflict, "second_factor_on", "The second factor is already on. Turn it off before you set it up again.")
	ErrSecondFactorOff      = fault.New(fault.Conflict, "second_factor_off", "The second factor is not on.")
	// ErrKeyReplaced says that no key of the settings opens the secret of an authenticator app.
	ErrKeyReplaced = fault.New(fault.Unavailable, "key_replaced", "Your second factor cannot be checked, because the server runs with another key than before. Please tell the people who run it.").
			WithDetail("reason", "KEY_REPLACED")
	// ErrLastSignIn protects an account without a password from losing its last passkey or
	// external sign-in.
	ErrLastSignIn      = fault.New(fault.Conflict, "last_sign_in", "This is your only way to sign in. Set a password first, with “Forgot your password?”, or add another way.")
	ErrPasswordMissing = fault.New(fault.Unauthenticated, "invalid_credentials", "Enter your current password.")
	ErrBadPage         = fault.New(fault.Invalid, "bad_request", "The arguments of the list are invalid.")
)

// ErrInvitationNotFound is returned for an invitation that is not open.
var ErrInvitationNotFound = fault.New(fault.NotFound, "not_found", "This invitation does not exist.")
