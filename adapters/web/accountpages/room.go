// Package accountpages has the pages of accounts: signing in and up, security, profiles, consent to applications, and the
// people whom admins look after.
package accountpages

import "github.com/octavo-books/octavo/adapters/web"

// Pages serves the pages of this room. It knows no other room.
type Pages struct{ *web.Pages }

// Features returns what the pages of this room bring. Without the service Identity these are the targets of links
// in mails alone.
func Features(site *web.Pages) []web.Feature {
	p := &Pages{site}
	site.AskForProof, site.ApplicationOf = p.askAgain, p.nameApplication
	all := []web.Feature{
		p.invitationPages(), p.approvalPages(), p.externalSignInPages(), p.unsubscribePages(), p.undoPages(), p.mailboxPages(),
	}
	if p.Identity == nil {
		return all
	}
	return append(all,
		p.signInPages(), p.secondFactorPages(), p.mailSignInPages(), p.signUpPages(), p.profilePages(), p.applicationPages(),
		p.endSessionPages(), p.emailChangePages(), p.exportPages(), p.leavePages(), p.proofPages(), p.securityPages(), p.tokenPages(),
		p.passkeyPages(), p.peoplePages(), p.personPages(), p.privacyPages(), p.auditLogPages(), p.workPages(),
	)
}
