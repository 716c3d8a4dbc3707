package auth

import (
	"context"
	"errors"
	"io"

	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Bodies follow.
var errPending = errors.New("not there yet")

// Services are the use cases of the identity core.
type Services struct {
	Accounts    *Accounts
	Sessions    *Sessions
	Gate        *Gate
	Passwords   *Passwords
	Invitations *Invitations
	People      *People
}

// Accounts makes accounts out of sign-ups.
type Accounts struct{}

func (a *Accounts) SignUp(ctx context.Context, in SignUp) error { return errPending }
func (a *Accounts) VerifyEmail(ctx context.Context, email, code string, from user.Source) error {
	return errPending
}
func (a *Accounts) ConfirmLink(ctx context.Context, token string, from user.Source) error {
	return errPending
}
func (a *Accounts) LinkAlive(ctx context.Context, token string) error { return errPending }
func (a *Accounts) ResendVerification(ctx context.Context, in Resend) error {
	return errPending
}

// Sessions begins, renews and ends sessions.
type Sessions struct{}

func (s *Sessions) SignIn(ctx context.Context, in SignIn) (Grant, error) {
	return Grant{}, errPending
}
func (s *Sessions) Refresh(ctx context.Context, refreshToken string, from user.Source) (Grant, error) {
	return Grant{}, errPending
}
func (s *Sessions) SignOut(ctx context.Context, by user.Caller) error { return errPending }
func (s *Sessions) Revoke(ctx context.Context, by user.Caller, id user.SessionID) error {
	return errPending
}
func (s *Sessions) RevokeOthers(ctx context.Context, by user.Caller) (int, error) {
	return 0, errPending
}
func (s *Sessions) List(ctx context.Context, by user.Caller, of user.ID) ([]session.Session, error) {
	return nil, errPending
}

// Gate tells who calls.
type Gate struct{}

func (g *Gate) Authenticate(ctx context.Context, accessToken string, from user.Source) (user.Caller, error) {
	return user.Caller{}, errPending
}
func (g *Gate) Inspect(ctx context.Context, token string) (TokenInfo, error) {
	return TokenInfo{}, errPending
}

// Passwords changes them.
type Passwords struct{}

func (p *Passwords) RequestReset(ctx context.Context, email string, lang user.Lang, from user.Source) error {
	return errPending
}
func (p *Passwords) Reset(ctx context.Context, email, code, newPassword string, from user.Source) error {
	return errPending
}
func (p *Passwords) Change(ctx context.Context, by user.Caller, current, next string) error {
	return errPending
}

// Invitations lets people in by invitation.
type Invitations struct{}

func (i *Invitations) Invite(ctx context.Context, by user.Caller, email string, lang user.Lang) (user.ID, error) {
	return 0, errPending
}
func (i *Invitations) Open(ctx context.Context, by user.Caller) ([]Invitation, error) {
	return nil, errPending
}
func (i *Invitations) Revoke(ctx context.Context, by user.Caller, id InvitationID) error {
	return errPending
}
func (i *Invitations) Accept(ctx context.Context, token string, password *string, from user.Source) (Grant, error) {
	return Grant{}, errPending
}

// People reads and changes accounts.
type People struct{}

func (p *People) Me(ctx context.Context, by user.Caller) (user.User, error) {
	return user.User{}, errPending
}
func (p *People) UpdateProfile(ctx context.Context, by user.Caller, change ProfileChange) (user.User, error) {
	return user.User{}, errPending
}
func (p *People) Find(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	return user.User{}, errPending
}
func (p *People) List(ctx context.Context, by user.Caller, q UserQuery) (UserPage, error) {
	return UserPage{}, errPending
}
func (p *People) SetRole(ctx context.Context, by user.Caller, id user.ID, role user.Role) (user.User, error) {
	return user.User{}, errPending
}
func (p *People) SetPassword(ctx context.Context, by user.Caller, id user.ID, password string) error {
	return errPending
}
func (p *People) EndSessions(ctx context.Context, by user.Caller, id user.ID) (int, error) {
	return 0, errPending
}
func (p *People) Delete(ctx context.Context, by user.Caller, ids []user.ID) (int, error) {
	return 0, errPending
}
func (p *People) AuditLog(ctx context.Context, by user.Caller, q AuditQuery) (AuditPage, error) {
	return AuditPage{}, errPending
}
func (p *People) Promote(ctx context.Context, email string, role user.Role) (user.User, error) {
	return user.User{}, errPending
}
func (p *People) Import(ctx context.Context, lines io.Reader) (ImportResult, error) {
	return ImportResult{}, errPending
}
