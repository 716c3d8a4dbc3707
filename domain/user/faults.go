package user

import "github.com/octavo-books/octavo/domain/fault"

// The errors about accounts.
var (
	ErrNotFound        = fault.New(fault.NotFound, "not_found", "This person does not exist.")
	ErrPasswordInvalid = fault.New(fault.Invalid, "password_invalid", "This password cannot be used.")
	ErrProfileInvalid  = fault.New(fault.Invalid, "invalid", "The student profile is incomplete.")
	// ErrProfileLocked refuses to change the university of somebody about whom admins decide,
	// or who buys or sells there.
	ErrProfileLocked = fault.New(fault.Conflict, "profile_locked", "You cannot change your university now.")
	ErrSuspended     = fault.New(fault.Forbidden, "suspended", "This account is suspended.")
	ErrEmailTaken    = fault.New(fault.Conflict, "email_taken", "There is already an account with this address.")
	ErrSameEmail     = fault.New(fault.Invalid, "bad_request", "This is the address of your account already.")
	ErrRoleInvalid   = fault.New(fault.Invalid, "bad_request", "This role does not exist.")
)

// ErrProfileReported and ErrProfileTrades are ErrProfileLocked with the reason.
var (
	ErrProfileReported = ErrProfileLocked.WithMsg("You can change your university after an admin has decided about an open report about you.").WithDetail("reason", "REPORTED")
	ErrProfileTrades   = ErrProfileLocked.WithMsg("You can change your university when your open purchases and sales are delivered or cancelled.").WithDetail("reason", "TRADES")
)
