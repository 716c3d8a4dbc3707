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

	SecondFactors *auth.SecondFactors
	Invitations   *auth.Invitations
	Exports       *auth.Exports
	EmailChanges  *auth.EmailChanges

	Clients        *auth.Clients
	Authorizations *auth.Authorizations
}

// identityRoutes returns the pages about accounts with their access rules.
func (p *Pages) identityRoutes() []Route {
	return []Route{
		get("/login", p.forAnybody(p.showSignIn)), post("/login", p.forAnybody(p.signIn)),
		get(secondFactorPath, p.forAnybody(p.showSecondFactor)), post(secondFactorPath, p.forAnybody(p.enterSecondFactor)), post("/logout", p.forAnybody(p.signOut)),
		get("/signup", p.forAnybody(p.showSignUp)), post("/signup", p.forAnybody(p.signUp)),
		get("/verify", p.forAnybody(p.showVerify)), post("/verify", p.forAnybody(p.verify)),
		get("/resend", p.forAnybody(p.showResend)), post("/resend", p.forAnybody(p.resend)),
		get("/forgotten", p.forAnybody(p.showForgotten)), post("/forgotten", p.forAnybody(p.forgotten)),
		get("/reset", p.forAnybody(p.showReset)), post("/reset", p.forAnybody(p.reset)),

		get("/account", p.forMembers(p.account)), post("/account/password", p.forMembers(p.changePassword)),
		post("/account/device", p.forMembers(p.revokeSession)),

		get("/account/applications", p.forMembers(p.applications)), post("/account/applications/withdraw", p.forMembers(p.withdrawConsent)),
		get("/oauth2/consent", p.forAnybody(p.showConsent)), post("/oauth2/consent", p.forMembers(p.consent)),
		get("/oauth2/end_session", p.forAnybody(p.withAllCookies(p.showEndSession))), post("/oauth2/end_session", p.postEndSession),

		post("/account/name", p.forMembers(p.changeName)),
		get(emailPath, p.forMembers(p.showEmailChange)), post(emailPath, p.forMembers(p.changeEmail)), post(emailPath+"/code", p.forMembers(p.confirmEmail)),
		post(securityPath+"/identities/remove", p.forMembers(p.unlinkIdentity)),
		get(exportPath, p.forMembers(p.showExport)), post(exportPath, p.forMembers(p.export)),
		get(leavePath, p.forMembers(p.showLeave)), post(leavePath, p.forMembers(p.leave)),
		get(confirmPath, p.forMembers(p.showProofForm)), post(confirmPath, p.forMembers(p.proveIdentity)),
		post(confirmPath+"/code", p.forMembers(p.mailConfirmCode)),
		get(securityPath, p.forMembers(p.security)),
		post(securityPath+"/totp", p.forMembers(p.startTotp)), post(securityPath+"/totp/confirm", p.forMembers(p.confirmTotp)),
		post(securityPath+"/totp/codes", p.forMembers(p.renewCodes)), post(securityPath+"/totp/disable", p.forMembers(p.disableTotp)),
		post(securityPath+"/passkeys/begin", p.forMembers(p.beginPasskey)), post(securityPath+"/passkeys", p.forMembers(p.addPasskey)),
		post(securityPath+"/passkeys/remove", p.forMembers(p.removePasskey)),
		post("/login/passkey/begin", p.forAnybody(p.beginPasskeySignIn)), post("/login/passkey", p.forAnybody(p.signInWithPasskey)),
		get("/login/mail", p.forAnybody(p.showMailSignIn)), post("/login/mail", p.forAnybody(p.mailSignInCode)),
		post("/login/mail/code", p.forAnybody(p.signInWithCode)),

		get("/dashboard/people", p.forAdmins(p.users)), get("/dashboard/people/person", p.forAdmins(p.person)),
		post("/dashboard/people/role", p.forOwners(p.changeRole)), post("/dashboard/people/sessions", p.forAdmins(p.endSessions)),
		post("/dashboard/people/store", p.forOwners(p.setStore)),
		post(linkPath, p.forAdmins(p.linkForPerson)),
		post("/dashboard/people/suspend", p.forAdmins(p.suspend)), post("/dashboard/people/unsuspend", p.forAdmins(p.unsuspend)),
		get("/dashboard/people/invite", p.forAdmins(p.invitations)), post("/dashboard/people/invite", p.forAdmins(p.invite)),
		post("/dashboard/people/invite/revoke", p.forAdmins(p.revokeInvitation)),
		post("/dashboard/people/promote", p.forOwners(p.promote)), post("/dashboard/people/demote", p.forOwners(p.demote)),
		get("/dashboard/audit", p.forOwners(p.auditLog)),
		get(workPath, p.forOwners(p.showWork)), post(workPath+"/retry", p.forOwners(p.retryWork)), post(workPath+"/drop", p.forOwners(p.dropWork)),
		get(clientsPath, p.forOwners(p.clients)), post(clientsPath, p.forOwners(p.addClient)), get(clientsPath+"/application", p.forOwners(p.client)),
		post(clientsPath+"/secret", p.forOwners(p.renewSecret)), post(clientsPath+"/remove", p.forOwners(p.removeClient)),
	}
}
