package authcontract

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func exportCases(t *testing.T, open Open) {
	exporting := func(p *authrooms.Ports, _ *auth.Config) {
		p.Exporters = map[string]account.DataExporter{"market": exportOther}
	}
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an export contains all stored data about its owner, and no secrets": export,
		"an export needs a recent proof and is limited":                      exportRules,
		"an export does not reveal the address of an admin":                  exportOfAdmins,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), exporting)) })
	}
}

// exportOther exports the data of another component.
func exportOther(_ context.Context, of user.ID, n int) (any, error) {
	if n < 1000 {
		return nil, errors.New("the limit is too low")
	}
	return map[string]string{"owner": of.String()}, nil
}

func exported(t *testing.T, k *authkit.Fixture, by user.Caller) (auth.ExportedAccount, string) {
	t.Helper()
	text := must.Get(k.Exports.Mine(ctx, by))(t)
	var all struct {
		ExportedAt time.Time
		Account    auth.ExportedAccount
		Market     struct{ Owner string }
	}
	must.Do(t, json.Unmarshal(text, &all))
	if !all.ExportedAt.Equal(k.Clock.Now()) || all.Market.Owner != by.ID.String() {
		t.Fatalf("export is %s", text)
	}
	return all.Account, string(text)
}

func export(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, "ann@u.edu")
	by := proved(t, k, "ann@u.edu")
	must.Get(k.Users.UpdateProfile(ctx, by, fullProfile()))(t)
	must.Get(k.Users.Update(ctx, by, new("Ann L."), nil))(t)
	addedFactors(t, k, u.ID)
	must.Do(t, k.EmailChanges.Request(ctx, by, "ann@v.edu"))
	code, undo := k.LastMail(t, message.EmailChange, "ann@v.edu").Code, undoToken(t, k.LastMail(t, message.EmailChanged, "ann@u.edu"))
	signUp(t, k, "ann@u.edu", otherPassword)
	a, all := exported(t, k, by)
	if a.ID != u.ID.String() || a.Email != "ann@u.edu" || a.Name != "Ann L." || a.Profile == nil || a.Profile.FirstName != "Ann" || !a.HasPassword || !a.AuthenticatorApp {
		t.Errorf("account is %+v, %+v", a, a.Profile)
	}
	if len(a.Sessions) != 1 || a.Sessions[0].IP != authkit.Firefox.IP || a.Sessions[0].ID != by.Session.String() {
		t.Errorf("sessions are %+v", a.Sessions)
	}
	if len(a.Passkeys) != 1 || len(a.Identities) != 1 || len(a.Devices) != 1 || a.Devices[0].Name == "" || len(a.KnownNetworks) != 1 || len(a.SignUps) != 1 || len(a.Truncated) != 0 {
		t.Errorf("account is %+v", a)
	}
	if len(a.EmailChanges) != 1 || a.EmailChanges[0].To != "ann@v.edu" || a.EmailChanges[0].ConfirmedAt != nil {
		t.Errorf("changes of address are %+v", a.EmailChanges)
	}
	if !slices.ContainsFunc(a.AuditLog, func(e auth.ExportedAudit) bool { return e.Action == "user.verified" && e.ByYou }) {
		t.Errorf("audit log is %+v", a.AuditLog)
	}
	stored := must.Get(k.Store.Identity.FindUser(ctx, u.ID))(t)
	for name, secret := range map[string]string{"password": authkit.Password, "other password": otherPassword, "hash": stored.PasswordHash, "code": code, "link": undo, "sealed secret": "sealed"} {
		if secret == "" || strings.Contains(all, secret) {
			t.Errorf("the export has the %s: %s", name, all)
		}
	}
}

func exportRules(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	weak := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	k.Clock.Advance(session.ProofLifetime)
	want(t, must.Err(k.Exports.Mine(ctx, user.Caller{})), user.ErrUnauthenticated)
	want(t, must.Err(k.Exports.Mine(ctx, weak)), user.ErrProofNeeded)
	by := proved(t, k, "ann@u.edu")
	app := by
	app.Client, app.Scopes = "an application", "openid profile email"
	want(t, must.Err(k.Exports.Mine(ctx, app)), user.ErrForbidden)
	for range 5 {
		exported(t, k, by)
	}
	want(t, must.Err(k.Exports.Mine(ctx, by)), limit.ErrExceeded)
	k.Clock.Advance(session.ProofLifetime)
	want(t, must.Err(k.Exports.Mine(ctx, by)), user.ErrProofNeeded)
}

func exportOfAdmins(t *testing.T, k *authkit.Fixture) {
	for k.IDs.Next() < 77_777 { // so that no other number contains the admin's
	}
	admin := k.CreateCaller(t, "root@u.edu", user.Admin)
	admin.From = user.ClientInfo{IP: "203.0.113.250"}
	ann := k.CreateUser(t, "ann@u.edu")
	must.Get(k.Users.EndSessions(ctx, admin, ann.ID))(t)
	a, all := exported(t, k, proved(t, k, "ann@u.edu"))
	if strings.Contains(all, admin.From.IP) || strings.Contains(all, admin.ID.String()) {
		t.Errorf("the export names the admin: %s", all)
	}
	if !slices.ContainsFunc(a.AuditLog, func(e auth.ExportedAudit) bool { return e.Action == "user.sessions_ended" && !e.ByYou && e.IP == "" }) {
		t.Errorf("audit log is %+v", a.AuditLog)
	}
}
