// Package pages lists the pages for tests that visit all of them.
package pages

import (
	"context"
	"net/http"
	"testing"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/web/webrooms"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/user"
)

// Routes returns the routes of all pages in development. No use case is behind them.
func Routes(t testing.TB) []web.Route {
	t.Helper()
	pages, err := webrooms.New(web.Services{
		Identity: &web.Identity{Auth: &authrooms.Auth{Account: &account.Room{}}}, Market: &web.Market{}, Discovery: new(finding.Discovery), AcceptInvitation: new(account.Invitations).Accept, Approvals: new(signin.SignIns),
		Unsubscriber: new(mailer.Unsubscriber), Mailbox: noMailbox{},
	}, web.Options{Texts: map[string]web.Text{"help": {}, "terms": {}, "privacy": {}, "accessibility": {}}})
	if err != nil {
		t.Fatal(err)
	}
	return pages.Routes()
}

// Shown returns the routes that show a page, and not a file or the way to one.
func Shown(t testing.TB) (all []web.Route) {
	t.Helper()
	for _, r := range Routes(t) {
		if r.Method == http.MethodGet && !r.File && !r.Leads {
			all = append(all, r)
		}
	}
	return all
}

type noMailbox struct{}

func (noMailbox) ListMails(context.Context, user.Email, int) ([]mailer.Mail, error) { return nil, nil }
func (noMailbox) FindMail(context.Context, int64) (mailer.Mail, bool, error) {
	return mailer.Mail{}, false, nil
}
