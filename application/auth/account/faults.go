package account

import "github.com/octavo-books/octavo/domain/fault"

// The errors of the room. Others are in package auth and beside the rules of the domain.
var (
	ErrCannotDeleteSelf  = fault.New(fault.Conflict, "cannot_delete_self", "You cannot delete your own account.")
	ErrTooMany           = fault.New(fault.Invalid, "bad_request", "At most 100 people can be deleted at once.")
	ErrLastOwner         = fault.New(fault.Invalid, "bad_request", "The last owner cannot be demoted, suspended or deleted.")
	ErrAddressMoved      = fault.New(fault.Conflict, "bad_request", "The address of the account has just been changed. Please try again.")
	ErrCannotSuspendSelf = fault.New(fault.Invalid, "bad_request", "You cannot suspend yourself.")
	ErrIsOwner           = fault.New(fault.Conflict, "is_owner", "This person is an owner, not an admin.")
	ErrAlreadyVerified   = fault.New(fault.Invalid, "bad_request", "This person already has an account.")
	ErrAlreadyConfirmed  = fault.New(fault.Conflict, "already_confirmed", "This address is already confirmed, and the password was not changed. Sign in with the password that you chose before, or reset it.")
	ErrBadPage           = fault.New(fault.Invalid, "bad_request", "The arguments of the list are invalid.")
)

// ErrInvitationNotFound is returned for an invitation that is not open.
var ErrInvitationNotFound = fault.New(fault.NotFound, "not_found", "This invitation does not exist.")
