package auth

import "github.com/octavo-books/octavo/domain/fault"

// The refusals of the use cases. Those that belong to a rule stand in domain/user,
// domain/session, domain/challenge and domain/limit.
var (
	// ErrInvalidCredentials has one text for every reason, which names them all.
	ErrInvalidCredentials = fault.New(fault.Unauthenticated, "invalid_credentials",
		"The address or the password is wrong, the address is not confirmed yet, or the account has no password yet (then ask for a reset).")
	ErrWrongPassword        = fault.New(fault.Unauthenticated, "invalid_credentials", "The current password is wrong.")
	ErrRegistrationDisabled = fault.New(fault.Forbidden, "registration_disabled", "New accounts cannot be made here.")
	ErrCannotDeleteSelf     = fault.New(fault.Conflict, "cannot_delete_self", "You cannot delete your own account here.")
	ErrTooMany              = fault.New(fault.Invalid, "bad_request", "At most 100 people can be deleted at once.")
	ErrLastOwner            = fault.New(fault.Invalid, "bad_request", "The last owner cannot be demoted.")
	ErrIsOwner              = fault.New(fault.Conflict, "is_owner", "This person is an owner, not an admin.")
	ErrAlreadyVerified      = fault.New(fault.Invalid, "bad_request", "This person has an account already.")
	ErrAlreadyConfirmed     = fault.New(fault.Conflict, "already_confirmed", "This address is confirmed already. The password was not changed: sign in with the one you chose then, or reset it.")
	ErrBadPage              = fault.New(fault.Invalid, "bad_request", "This page cannot be shown.")
)

// ErrInvitationNotFound says that there is no such open invitation.
var ErrInvitationNotFound = fault.New(fault.NotFound, "not_found", "There is no such invitation.")
