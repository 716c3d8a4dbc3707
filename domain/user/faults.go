package user

import "github.com/octavo-books/octavo/domain/fault"

// The errors about accounts.
var (
	ErrNotFound        = fault.New(fault.NotFound, "not_found", "There is no such person.")
	ErrPasswordInvalid = fault.New(fault.Invalid, "password_invalid", "This password cannot be used.")
	ErrProfileInvalid  = fault.New(fault.Invalid, "invalid", "The student profile is not complete.")
	ErrEduNeeded       = fault.New(fault.Invalid, "email_not_edu", "Please use your university address; it ends in .edu.")
	ErrEmailTaken      = fault.New(fault.Conflict, "email_taken", "This address already has an account.")
	ErrRoleInvalid     = fault.New(fault.Invalid, "bad_request", "There is no such role.")
)
