package user

import "github.com/octavo-books/octavo/domain/fault"

// The errors about accounts.
var (
	ErrNotFound        = fault.New(fault.NotFound, "not_found", "This person does not exist.")
	ErrPasswordInvalid = fault.New(fault.Invalid, "password_invalid", "This password cannot be used.")
	ErrProfileInvalid  = fault.New(fault.Invalid, "invalid", "The student profile is incomplete.")
	ErrSuspended       = fault.New(fault.Forbidden, "suspended", "This account is suspended.")
	ErrEmailTaken      = fault.New(fault.Conflict, "email_taken", "There is already an account with this address.")
	ErrSameEmail       = fault.New(fault.Invalid, "bad_request", "This is the address of your account already.")
	ErrRoleInvalid     = fault.New(fault.Invalid, "bad_request", "This role does not exist.")
)
