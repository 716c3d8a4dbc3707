package identity

import "github.com/octavo-books/octavo/domain/fault"

// The errors. None shows what a provider said.
var (
	ErrNotFound        = fault.New(fault.NotFound, "not_found", "This sign-in does not exist.")
	ErrUnknownProvider = fault.New(fault.NotFound, "provider_unknown", "You cannot sign in with this service here.")
	ErrTaken           = fault.New(fault.Conflict, "identity_taken", "This sign-in already belongs to another account. Sign in with it, or remove it there first.")
	// ErrOtherSubject refuses a person whose address is that of an account with another sign-in at
	// the same service: the address may have changed hands.
	ErrOtherSubject   = fault.New(fault.Conflict, "identity_other_subject", "The account of your address belongs to another sign-in at this service. If it is yours, sign in with its password or a passkey and connect this one, too. Or ask an admin.")
	ErrDomainRefused  = fault.New(fault.Forbidden, "domain_refused", "Your email address at this service may not be used here. Sign in there with another address, or sign in here in another way.")
	ErrNoEmail        = fault.New(fault.Invalid, "identity_no_email", "This service did not tell us an email address that we can use. Allow it to share your address and try again, or sign in here in another way.")
	ErrCancelled      = fault.New(fault.Invalid, "sign_in_cancelled", "You were not signed in, because you or the service cancelled it. You can try again.")
	ErrAnswerInvalid  = fault.New(fault.Invalid, "sign_in_failed", "You were not signed in, because the answer of the service could not be verified. Please start again. If it fails again, sign in here in another way.")
	ErrLogoutInvalid  = fault.New(fault.Invalid, "invalid_request", "The logout token is invalid or was used before.")
	ErrUnreachable    = fault.New(fault.Unavailable, "unavailable", "This service cannot be reached at the moment. Please try again later, or sign in here in another way.")
	ErrSubjectInvalid = fault.New(
		fault.Invalid, "subject_invalid", "A subject has 1 to 255 characters.",
	).WithField("subject", "must have 1 to 255 characters")
	ErrDomainInvalid = fault.New(fault.Invalid, "domain_invalid", "A domain looks like example.edu, or *.example.edu for all domains below it.")
)
