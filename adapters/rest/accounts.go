package rest

import (
	"context"
	"errors"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Signup serves POST /api/auth/signup.
func (e *Edge) Signup(ctx context.Context, r restgen.SignupRequestObject) (restgen.SignupResponseObject, error) {
	b := r.Body
	err := e.Accounts.SignUp(ctx, auth.SignUpRequest{
		Email: b.Email, Password: b.Password, Lang: user.Lang(strings.ToLower(valueOr(b.Lang, string(user.EN)))),
		Profile: &user.Profile{
			FirstName: b.FirstName, LastName: b.LastName, University: b.University,
			CampusMailbox: b.CampusMailbox, PaymentUsername: b.PaymentUsername,
		},
		ByLink: true, From: httpx.ClientInfo(ctx),
	})
	if err != nil {
		return nil, err
	}
	email, err := user.ParseEmail(b.Email)
	if err != nil {
		return nil, err
	}
	return restgen.Signup201JSONResponse(reply(ctx, e, restgen.SignedUp{Email: string(email)})), nil
}

// ResendConfirmation serves POST /api/auth/resendConfirmation.
func (e *Edge) ResendConfirmation(ctx context.Context, r restgen.ResendConfirmationRequestObject) (restgen.ResendConfirmationResponseObject, error) {
	err := e.Accounts.ResendVerification(ctx, auth.ResendRequest{Email: r.Body.Email, ByLink: true, From: httpx.ClientInfo(ctx)})
	if err != nil && !errors.Is(err, user.ErrEmailInvalid) { // the answer is the same for every text
		return nil, err
	}
	return restgen.ResendConfirmation200JSONResponse(empty(ctx, e)), nil
}

// Login serves POST /api/auth/login.
func (e *Edge) Login(ctx context.Context, r restgen.LoginRequestObject) (restgen.LoginResponseObject, error) {
	grant, err := e.Sessions.SignIn(ctx, auth.SignInRequest{
		Email: r.Body.Email, Password: r.Body.Password, Remember: true, From: httpx.ClientInfo(ctx),
	})
	if err != nil {
		return nil, err
	}
	return restgen.Login200JSONResponse(reply(ctx, e, loginOf(grant))), nil
}

// Refresh serves POST /api/auth/refresh.
func (e *Edge) Refresh(ctx context.Context, r restgen.RefreshRequestObject) (restgen.RefreshResponseObject, error) {
	grant, err := e.Sessions.Refresh(ctx, r.Body.RefreshToken, httpx.ClientInfo(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.Refresh200JSONResponse(reply(ctx, e, loginOf(grant))), nil
}

// Logout serves POST /api/auth/logout. A browser would go on sending cookies
// that no longer hold, so it is told to drop them.
func (e *Edge) Logout(ctx context.Context, _ restgen.LogoutRequestObject) (restgen.LogoutResponseObject, error) {
	if err := e.Sessions.SignOut(ctx, by(ctx)); err != nil {
		return nil, err
	}
	if httpx.HasCookieCredential(ctx) {
		e.cookies.ClearTokens(ginOf(ctx).Writer)
	}
	return restgen.Logout200JSONResponse(empty(ctx, e)), nil
}

// PasswordResetRequest serves POST /api/auth/passwordResetRequest.
func (e *Edge) PasswordResetRequest(ctx context.Context, r restgen.PasswordResetRequestRequestObject) (restgen.PasswordResetRequestResponseObject, error) {
	if err := e.Passwords.RequestReset(ctx, r.Body.Email, "", httpx.ClientInfo(ctx)); err != nil {
		return nil, err
	}
	return restgen.PasswordResetRequest200JSONResponse(empty(ctx, e)), nil
}

// PasswordReset serves POST /api/auth/passwordReset.
func (e *Edge) PasswordReset(ctx context.Context, r restgen.PasswordResetRequestObject) (restgen.PasswordResetResponseObject, error) {
	if err := e.Passwords.Reset(ctx, r.Body.Email, r.Body.Code, r.Body.Password, httpx.ClientInfo(ctx)); err != nil {
		return nil, err
	}
	return restgen.PasswordReset200JSONResponse(empty(ctx, e)), nil
}

// UpdatePassword serves POST /api/auth/updatePassword.
func (e *Edge) UpdatePassword(ctx context.Context, r restgen.UpdatePasswordRequestObject) (restgen.UpdatePasswordResponseObject, error) {
	err := e.Passwords.Change(ctx, by(ctx), r.Body.Password, r.Body.NewPassword)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return nil, asNewPassword(f)
	}
	if err != nil {
		return nil, err
	}
	return restgen.UpdatePassword200JSONResponse(empty(ctx, e)), nil
}

// asNewPassword blames the field that the new password came in.
func asNewPassword(f *fault.Error) error {
	named := *f
	named.Fields = map[string]string{"newPassword": sentenceOf(f)}
	return &named
}

// sentenceOf prefers what a refusal says of a field to what it says in general.
func sentenceOf(f *fault.Error) string {
	for _, why := range f.Fields {
		return why
	}
	return f.Msg
}

// UpdateProfile serves POST /api/auth/updateProfile.
func (e *Edge) UpdateProfile(ctx context.Context, r restgen.UpdateProfileRequestObject) (restgen.UpdateProfileResponseObject, error) {
	u, err := e.People.UpdateProfile(ctx, by(ctx), auth.ProfileChange{
		FirstName: r.Body.FirstName, LastName: r.Body.LastName, University: r.Body.University,
		CampusMailbox: r.Body.CampusMailbox, PaymentUsername: r.Body.PaymentUsername,
	})
	if err != nil {
		return nil, err
	}
	return restgen.UpdateProfile200JSONResponse(reply(ctx, e, userOf(u))), nil
}

// GetUserData serves GET /api/user/getUserData.
func (e *Edge) GetUserData(ctx context.Context, _ restgen.GetUserDataRequestObject) (restgen.GetUserDataResponseObject, error) {
	u, err := e.People.Me(ctx, by(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetUserData200JSONResponse(reply(ctx, e, userOf(u))), nil
}
