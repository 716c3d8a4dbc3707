package web

import (
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
)

// Identity holds the use cases behind the pages about accounts, which do not need the
// marketplace. All are required.
type Identity struct {
	Gate      httpx.Authenticator
	Accounts  *auth.Accounts
	Sessions  *auth.Sessions
	Passwords *auth.Passwords
	Passkeys  *auth.Passkeys
	People    *auth.Users
}

// identityRoutes returns the pages about accounts with their access rules.
func (p *Pages) identityRoutes() []Route {
	return []Route{
		get("/login", p.forAnybody(p.showSignIn)), post("/login", p.forAnybody(p.signIn)), post("/logout", p.forAnybody(p.signOut)),
		get("/signup", p.forAnybody(p.showSignUp)), post("/signup", p.forAnybody(p.signUp)),
		get("/verify", p.forAnybody(p.showVerify)), post("/verify", p.forAnybody(p.verify)),
		get("/resend", p.forAnybody(p.showResend)), post("/resend", p.forAnybody(p.resend)),
		get("/forgotten", p.forAnybody(p.showForgotten)), post("/forgotten", p.forAnybody(p.forgotten)),
		get("/reset", p.forAnybody(p.showReset)), post("/reset", p.forAnybody(p.reset)),

		get("/account", p.forMembers(p.account)), post("/account/password", p.forMembers(p.changePassword)),
		post("/account/device", p.forMembers(p.revokeSession)),

		get("/dashboard/people", p.forAdmins(p.users)),
		post("/dashboard/people/promote", p.forOwners(p.promote)), post("/dashboard/people/demote", p.forOwners(p.demote)),
		get("/dashboard/audit", p.forOwners(p.auditLog)),
	}
}
