package octavo

import (
	"errors"
	"fmt"
	"time"

	"github.com/Khan/genqlient/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Code says what kind of failure an Error is. The schema describes each.
type Code string

// The codes that programs distinguish most often.
const (
	CodeUnauthenticated      Code = "UNAUTHENTICATED"
	CodeForbidden            Code = "FORBIDDEN"
	CodeInvalidCredentials   Code = "INVALID_CREDENTIALS"
	CodeEmailInvalid         Code = "EMAIL_INVALID"
	CodePasswordInvalid      Code = "PASSWORD_INVALID"
	CodeCodeInvalid          Code = "CODE_INVALID"
	CodeSessionInvalid       Code = "SESSION_INVALID"
	CodeSecondFactorRequired Code = "SECOND_FACTOR_REQUIRED"
	CodeChallengeInvalid     Code = "CHALLENGE_INVALID"
	CodeSuspended            Code = "SUSPENDED"
	CodeRegistrationDisabled Code = "REGISTRATION_DISABLED"
	CodeRateLimited          Code = "RATE_LIMITED"
	CodeNotFound             Code = "NOT_FOUND"
	CodeBadRequest           Code = "BAD_REQUEST"
	CodeUnavailable          Code = "UNAVAILABLE"
	CodeInternal             Code = "INTERNAL"
)

// Error is a failure that the server reports.
type Error struct {
	Code       Code
	Message    string        // for people
	RetryAfter time.Duration // of CodeRateLimited and CodeUnavailable
	Status     int           // the HTTP status, 200 if the operation was executed
	Extensions map[string]any
}

func (e *Error) Error() string { return fmt.Sprintf("octavo: %s (%s)", e.Message, e.Code) }

// CodeOf returns the code of an *Error in err, else "".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// isExpired reports whether a new access token may help. It does not where the server asks
// for a fresh proof of who the user is.
func isExpired(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeUnauthenticated && e.Extensions["reason"] == nil
}

// typed turns the first error of a response into an *Error. An error without a code did not
// come from Octavo, and has that of its status.
func typed(err error) error {
	var list gqlerror.List
	status := 200
	var refused *graphql.HTTPError
	if errors.As(err, &refused) {
		list, status = refused.Response.Errors, refused.StatusCode
	} else if !errors.As(err, &list) {
		return err
	}
	e := &Error{Code: CodeInternal, Message: "The server's answer is not GraphQL.", Status: status}
	if status == 502 || status == 503 || status == 504 {
		e.Code = CodeUnavailable
	}
	if len(list) > 0 && list[0].Extensions["code"] != nil {
		e.Message, e.Extensions = list[0].Message, list[0].Extensions
		e.Code = Code(fmt.Sprint(e.Extensions["code"]))
	}
	if seconds, ok := e.Extensions["retryAfter"].(float64); ok {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
