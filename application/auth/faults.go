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
	// ErrJoinExternally answers a sign-up where newcomers come through external services alone.
	ErrJoinExternally = fault.New(fault.Forbidden, "registration_disabled", "Nobody signs up here. Sign in with one of the services on the sign-in page, and you have an account.")
	// ErrExternalOnly answers every way to sign in but external ones where Config.ExternalOnly is set, right or
	// wrong, so that it reveals neither accounts nor passwords.
	ErrExternalOnly = fault.New(fault.Forbidden, "sso_required", "Passwords, codes and passkeys do not sign in here. Use one of the services on the sign-in page.")
	// ErrSecondFactorRequired answers the right password or mailed code for an account with a
	// second factor. Its detail "challenge" is the input of factors.SecondFactors.CompleteSignIn.
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
)
