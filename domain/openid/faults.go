package openid

import "github.com/octavo-books/octavo/domain/fault"

// The errors that people see.
var (
	ErrClientInvalid  = fault.New(fault.Invalid, "client_invalid", "This application cannot be registered.")
	ErrClientNotFound = fault.New(fault.NotFound, "not_found", "This application does not exist.")
	ErrTooManyClients = fault.New(fault.Conflict, "too_many_clients", "There are already 1,000 applications.")
	ErrClientPublic   = fault.New(fault.Invalid, "client_public", "A public application has no secret.")
	ErrOverlap        = fault.New(fault.Invalid, "overlap_invalid", "A replaced secret may go on working for 7 days at most.")
	ErrNoSigningKey   = fault.New(fault.Invalid, "no_signing_key", "ID tokens cannot be signed with this algorithm: OIDC_SIGNING_KEY is not set.")
	ErrGrantNotFound  = fault.New(fault.NotFound, "not_found", "You have not given this application access.")
	// ErrRedirectURI is never sent to the redirect URI: it may belong to an attacker.
	ErrRedirectURI = fault.New(fault.Invalid, "redirect_uri_invalid", "The application that sent you here is not set up for the address that it wants to send you back to.")
	ErrLogoutHint  = fault.New(fault.Invalid, "logout_hint_invalid", "The application that sent you here to sign out sent a wrong proof of who you are.")
	ErrLogoutURI   = fault.New(fault.Invalid, "logout_uri_invalid", "The application that sent you here to sign out is not set up for the address that it wants to send you back to.")
)

// The errors that a client gets. Their codes are those of RFC 6749, OpenID Connect and RFC 6750;
// their texts are ASCII without quotes, as those require.
var (
	ErrInvalidRequest          = fault.New(fault.Invalid, "invalid_request", "The request is malformed.")
	ErrInvalidClient           = fault.New(fault.Unauthenticated, "invalid_client", "The client or its secret is wrong.")
	ErrInvalidGrant            = fault.New(fault.Invalid, "invalid_grant", "The code or token is invalid, expired or used, or belongs to another client.")
	ErrUnsupportedGrantType    = fault.New(fault.Invalid, "unsupported_grant_type", "Grant types are authorization_code, refresh_token and client_credentials.")
	ErrUnauthorizedClient      = fault.New(fault.Invalid, "unauthorized_client", "Only machine clients may use client_credentials.")
	ErrUnsupportedResponseType = fault.New(fault.Invalid, "unsupported_response_type", "The response type must be code.")
	ErrInvalidScope            = fault.New(fault.Invalid, "invalid_scope", "The scope must contain openid.")
	ErrScopeExceeded           = fault.New(fault.Invalid, "invalid_scope", "The scope exceeds what was granted.")
	ErrInvalidTarget           = fault.New(fault.Invalid, "invalid_target", "The resource is unknown, or is not one that was granted.")
	ErrAccessDenied            = fault.New(fault.Forbidden, "access_denied", "The user refused.")
	ErrLoginRequired           = fault.New(fault.Unauthenticated, "login_required", "The user must sign in.")
	ErrUnmetRequirements       = fault.New(fault.Forbidden, "unmet_authentication_requirements", "The user cannot sign in as strongly as the application demands.")
	ErrConsentRequired         = fault.New(fault.Forbidden, "consent_required", "The user must consent.")
	ErrRequestNotSupported     = fault.New(fault.Invalid, "request_not_supported", "The parameter request is not supported.")
	ErrRequestURINotSupported  = fault.New(fault.Invalid, "request_uri_not_supported", "The parameter request_uri is not supported.")
	ErrRegistrationUnsupported = fault.New(fault.Invalid, "registration_not_supported", "The parameter registration is not supported.")
	ErrInvalidToken            = fault.New(fault.Unauthenticated, "invalid_token", "The access token is invalid or has expired.")
	ErrInsufficientScope       = fault.New(fault.Forbidden, "insufficient_scope", "The access token lacks the scope openid.")
)
