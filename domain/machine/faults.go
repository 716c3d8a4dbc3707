package machine

import "github.com/octavo-books/octavo/domain/fault"

// The errors that operators see.
var (
	ErrInvalid          = fault.New(fault.Invalid, "machine_invalid", "This machine or resource cannot be registered.")
	ErrClientNotFound   = fault.New(fault.NotFound, "not_found", "This machine does not exist.")
	ErrResourceNotFound = fault.New(fault.NotFound, "not_found", "This resource does not exist.")
	ErrSessionNotFound  = fault.New(fault.NotFound, "not_found", "This session does not exist.")
	ErrIdentifierTaken  = fault.New(fault.Conflict, "identifier_taken", "This identifier belongs to another resource, or to Octavo itself.")
	ErrTooMany          = fault.New(fault.Conflict, "too_many_machines", "There are already 1,000 machines or resources.")
	ErrNoSecret         = fault.New(fault.Invalid, "machine_no_secret", "This machine signs with its own keys and has no secret.")
	ErrOverlap          = fault.New(fault.Invalid, "overlap_invalid", "A replaced secret may work for 7 days at most.")
	ErrKeysInvalid      = fault.New(fault.Invalid, "keys_invalid", "This is not a JWKS with 1 to 10 public keys for signatures: RSA of 2,048 bits or more, P-256, P-384, P-521 or Ed25519.")
)

// The errors that machines get. Their codes are those of RFC 6749 and RFC 8707.
var (
	ErrUnknown       = fault.New(fault.Unauthenticated, "invalid_client", "The client, its secret or its assertion is wrong.")
	ErrInvalidTarget = fault.New(fault.Invalid, "invalid_target", "The resource is missing, unknown, or not one of this client.")
	ErrInvalidScope  = fault.New(fault.Invalid, "invalid_scope", "The scope exceeds what this client may do at this resource.")
	ErrKeysUnknown   = fault.New(fault.Unavailable, "temporarily_unavailable", "The keys of this client cannot be fetched at the moment.")
)
