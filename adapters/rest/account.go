package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/body"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

func (h *Handler) accountOperations() feature {
	return feature{
		raw:   map[string]gin.HandlerFunc{"openConfirmLink": h.openConfirmLink, "confirm": h.confirm},
		rules: rules{"signup": rule(checkSignup), "passwordReset": rule(checkReset), "updatePassword": rule(checkNewPassword)},
	}
}

// Signup serves POST /api/auth/signup.
func (h *Handler) Signup(ctx context.Context, r restgen.SignupRequestObject) (restgen.SignupResponseObject, error) {
	b := r.Body
	err := h.Accounts.SignUp(ctx, account.SignUpRequest{
		Email: b.Email, Password: b.Password, Lang: user.Lang(strings.ToLower(valueOr(b.Lang, string(user.EN)))),
		Profile: &user.Profile{
			FirstName: b.FirstName, LastName: b.LastName, University: valueOr(b.University, ""),
			CampusMailbox: valueOr(b.CampusMailbox, ""), PaymentUsername: valueOr(b.PaymentUsername, ""),
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
	c := ginOf(ctx)
	h.cookies.SetSignedUp(c.Writer, c.Request, string(email))
	return restgen.Signup201JSONResponse(respond(ctx, h, restgen.SignedUp{Email: string(email)})), nil
}

// openConfirmLink serves GET /api/auth/confirm/:token. It confirms only for clients
// that accept JSON and not HTML, and never for HEAD: mail scanners open links, too.
func (h *Handler) openConfirmLink(c *gin.Context) {
	accept := c.GetHeader("Accept")
	if strings.Contains(accept, "application/json") && !wantsPage(c) && !httpx.IsHead(c.Request.Context()) {
		h.confirm(c)
		return
	}
	h.confirmPage.Ask(c)
}

// confirm serves POST /api/auth/confirm/:token.
func (h *Handler) confirm(c *gin.Context) {
	read, _ := c.Request.Body.(body.Checked)
	password, _ := read.Object["password"].(string)
	if wantsPage(c) {
		h.confirmPage.Confirm(c, password)
		return
	}
	ctx := c.Request.Context()
	if err := h.Accounts.ConfirmLink(ctx, c.Param("token"), password, httpx.ClientInfo(ctx)); err != nil {
		h.abortWithError(c, err)
		return
	}
	c.Header("Content-Type", "application/json") // without a charset, like all other responses
	c.JSON(http.StatusOK, newEnvelope(h, c, restgen.Verified{Verified: true}))
}

func wantsPage(c *gin.Context) bool { return strings.Contains(c.GetHeader("Accept"), "text/html") }

// ResendConfirmation serves POST /api/auth/resendConfirmation.
func (h *Handler) ResendConfirmation(
	ctx context.Context, r restgen.ResendConfirmationRequestObject,
) (restgen.ResendConfirmationResponseObject, error) {
	err := h.Accounts.ResendVerification(ctx, account.ResendRequest{Email: r.Body.Email, ByLink: true, From: httpx.ClientInfo(ctx)})
	if err != nil && !errors.Is(err, user.ErrEmailInvalid) { // the response is the same for every text
		return nil, err
	}
	return restgen.ResendConfirmation200JSONResponse(respondEmpty(ctx, h)), nil
}

// Login serves POST /api/auth/login.
func (h *Handler) Login(ctx context.Context, r restgen.LoginRequestObject) (restgen.LoginResponseObject, error) {
	grant, err := h.SignIns.SignIn(ctx, signin.Request{
		Email: r.Body.Email, Password: r.Body.Password, Remember: true, From: httpx.ClientInfo(ctx),
	})
	return reply[restgen.Login200JSONResponse](ctx, h, grant, err, loginOf)
}

// Complete serves POST /api/auth/complete.
func (h *Handler) Complete(ctx context.Context, r restgen.CompleteRequestObject) (restgen.CompleteResponseObject, error) {
	grant, err := h.SecondFactors.CompleteSignIn(ctx, factors.CompleteSignInRequest{
		Challenge: r.Body.Challenge, Code: r.Body.Code, Remember: valueOr(r.Body.Remember, false), From: httpx.ClientInfo(ctx),
	})
	if err != nil {
		return nil, err
	}
	h.cookies.SetDevice(ginOf(ctx).Writer, grant.Device, session.DeviceLifetime)
	return restgen.Complete200JSONResponse(respond(ctx, h, loginOf(grant))), nil
}

// Refresh serves POST /api/auth/refresh.
func (h *Handler) Refresh(ctx context.Context, r restgen.RefreshRequestObject) (restgen.RefreshResponseObject, error) {
	grant, err := h.Sessions.Refresh(ctx, r.Body.RefreshToken, httpx.ClientInfo(ctx))
	return reply[restgen.Refresh200JSONResponse](ctx, h, grant, err, loginOf)
}

// Logout serves POST /api/auth/logout. It also clears the cookies of a browser, which
// would go on sending dead ones.
func (h *Handler) Logout(ctx context.Context, _ restgen.LogoutRequestObject) (restgen.LogoutResponseObject, error) {
	if err := h.Sessions.SignOut(ctx, callerOf(ctx)); err != nil {
		return nil, err
	}
	if httpx.HasCookieCredential(ctx) {
		h.cookies.ClearTokens(ginOf(ctx).Writer)
	}
	return restgen.Logout200JSONResponse(respondEmpty(ctx, h)), nil
}

// PasswordResetRequest serves POST /api/auth/passwordResetRequest.
func (h *Handler) PasswordResetRequest(
	ctx context.Context, r restgen.PasswordResetRequestRequestObject,
) (restgen.PasswordResetRequestResponseObject, error) {
	err := h.Passwords.RequestReset(ctx, r.Body.Email, "", httpx.ClientInfo(ctx))
	return replyEmpty[restgen.PasswordResetRequest200JSONResponse](ctx, h, err)
}

// PasswordReset serves POST /api/auth/passwordReset.
func (h *Handler) PasswordReset(ctx context.Context, r restgen.PasswordResetRequestObject) (restgen.PasswordResetResponseObject, error) {
	err := h.Passwords.Reset(ctx, r.Body.Email, r.Body.Code, r.Body.Password, httpx.ClientInfo(ctx))
	return replyEmpty[restgen.PasswordReset200JSONResponse](ctx, h, err)
}

// UpdatePassword serves POST /api/auth/updatePassword.
func (h *Handler) UpdatePassword(ctx context.Context, r restgen.UpdatePasswordRequestObject) (restgen.UpdatePasswordResponseObject, error) {
	err := h.Passwords.Change(ctx, callerOf(ctx), r.Body.Password, r.Body.NewPassword)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return nil, asNewPassword(f)
	}
	return replyEmpty[restgen.UpdatePassword200JSONResponse](ctx, h, err)
}

// asNewPassword moves the error to the field newPassword.
func asNewPassword(f *fault.Error) error {
	named := *f
	named.Fields = map[string]string{"newPassword": messageOf(f)}
	return &named
}

// messageOf returns the reason of a field if there is one, else the message.
func messageOf(f *fault.Error) string {
	for _, why := range f.Fields {
		return why
	}
	return f.Msg
}

// UpdateProfile serves POST /api/auth/updateProfile.
func (h *Handler) UpdateProfile(ctx context.Context, r restgen.UpdateProfileRequestObject) (restgen.UpdateProfileResponseObject, error) {
	u, err := h.Users.UpdateProfile(ctx, callerOf(ctx), account.ProfileChange{
		FirstName: r.Body.FirstName, LastName: r.Body.LastName, University: r.Body.University,
		CampusMailbox: r.Body.CampusMailbox, PaymentUsername: r.Body.PaymentUsername,
	})
	return reply[restgen.UpdateProfile200JSONResponse](ctx, h, u, err, userOf)
}

// GetUserData serves GET /api/user/getUserData.
func (h *Handler) GetUserData(ctx context.Context, _ restgen.GetUserDataRequestObject) (restgen.GetUserDataResponseObject, error) {
	u, err := h.Users.Me(ctx, callerOf(ctx))
	return reply[restgen.GetUserData200JSONResponse](ctx, h, u, err, userOf)
}

func checkSignup(h *Handler, b *restgen.SignupBody) []error {
	email, err := user.ParseEmail(b.Email)
	if err == nil && !h.cfg.Campus.Admits(email) {
		err = h.cfg.Campus.Refusal("email")
	}
	_, weak := user.NewPassword(b.Password, email)
	if b.University == nil && !h.cfg.Campus.Named() {
		return []error{err, weak, errNoUniversity}
	}
	return []error{err, weak}
}

// errNoUniversity refuses a sign-up without a university, whose address does not say it either.
var errNoUniversity = fault.New(fault.Invalid, "invalid_fields", "Some fields are missing or invalid.").
	WithField("university", "This field is missing.")

func checkReset(_ *Handler, b *restgen.PasswordResetBody) []error {
	email, _ := user.ParseEmail(b.Email) // the document has refused an invalid address
	_, weak := user.NewPassword(b.Password, email)
	return []error{weak}
}

func checkNewPassword(_ *Handler, b *restgen.UpdatePasswordBody) []error {
	if _, err := user.NewPassword(b.NewPassword, ""); err != nil {
		return []error{asNewPassword(fault.As(err))}
	}
	return nil
}
