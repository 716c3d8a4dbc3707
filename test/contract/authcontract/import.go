package authcontract

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func importUsers(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	file := "\ufeffann@example.org,x:stolen\n\n Old@Example.org , x:" + otherPassword + "\r\nold@example.org,x:twice\n"
	result := must.Get(k.Users.Import(ctx, strings.NewReader(file), account.ImportOptions{}))(t)
	if result != (account.ImportResult{Imported: 1, Skipped: 2}) {
		t.Fatalf("result is %+v", result)
	}
	k.SignIn(t, "ann@example.org")
	must.Get(signIn(k, "old@example.org", otherPassword, authkit.Firefox))(t)
	strict := account.ImportOptions{Strict: true}
	for _, bad := range []string{"no comma", "no address,x:y", "new@example.org,nohash", strings.Repeat("x", 10_000)} {
		good := strings.Repeat("good@example.org,x:"+otherPassword+"\r\n", 600)
		var mistakes []string
		strict.Bad = func(line int, why string) { mistakes = append(mistakes, fmt.Sprint(line, " ", why)) }
		result := must.Get(k.Users.Import(ctx, strings.NewReader(good+bad+"\n"+good), strict))(t)
		if result != (account.ImportResult{Bad: 1}) || len(mistakes) != 1 || !strings.HasPrefix(mistakes[0], "601 ") || strings.Contains(mistakes[0], "x:") {
			t.Fatalf("result is %+v, %q", result, mistakes)
		}
	}
	want(t, must.Err(signIn(k, "good@example.org", otherPassword, authkit.Firefox)), auth.ErrInvalidCredentials)
	result, err := k.Users.Import(ctx, strings.NewReader("good@example.org,x:y\nbad\ngood@example.org,x:y\nmore@example.org,x:y\n"), account.ImportOptions{DryRun: true})
	if must.Do(t, err); result != (account.ImportResult{Imported: 2, Skipped: 1, Bad: 1}) {
		t.Fatalf("a dry run counts %+v", result)
	}
	result, err = k.Users.Import(ctx, strings.NewReader("bad\ngood@example.org,x:"+otherPassword), account.ImportOptions{})
	if must.Do(t, err); result != (account.ImportResult{Imported: 1, Bad: 1}) {
		t.Fatalf("beside a bad line: %+v", result)
	}
	must.Get(signIn(k, "good@example.org", otherPassword, authkit.Firefox))(t)
	must.Get(k.Users.Import(ctx, strings.NewReader("email,hash,firstName,lastName,university\nfay@u.edu,x:"+otherPassword+",Fay,Ito,U\n"), account.ImportOptions{}))(t)
	fay := must.Get(signIn(k, "fay@u.edu", otherPassword, authkit.Firefox))(t)
	by := k.CallerOf(t, fay)
	if u := must.Get(k.Users.Me(ctx, by))(t); !by.Student || !errors.Is(u.Profile.CheckTrade(), user.ErrProfileNeeded) {
		t.Fatal("a user imported without a payment username is no student, or may trade")
	}
	mailbox, payment := "12", "fay"
	_, err = k.Users.UpdateProfile(ctx, by, account.ProfileChange{CampusMailbox: &mailbox, PaymentUsername: &payment})
	must.Do(t, err)
	if u := must.Get(k.Users.Me(ctx, by))(t); u.Profile.CheckTrade() != nil {
		t.Fatal("a user who has completed the profile may not trade")
	}
	var many strings.Builder
	for i := range 1201 {
		many.WriteString("u" + user.ID(i+1).String() + "@example.org,x:y\n")
	}
	if result, err = k.Users.Import(ctx, strings.NewReader(many.String()), account.ImportOptions{}); err != nil || result.Imported != 1201 {
		t.Fatalf("result is %+v, %v", result, err)
	}
}
