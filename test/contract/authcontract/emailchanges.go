package authcontract

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func emailChangeCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an address changes with a code and keeps the sessions":                  changeEmail,
		"changing the address needs a recent proof and a good address":           changeEmailRules,
		"a taken address gets the response of a free one, and its owner a mail":  changeToTaken,
		"a code of another purpose, user or change does not move an account":     changeEmailCodes,
		"of many users that move to one address at once one gets it":             changeAtOnce,
		"one code entered many times at once moves the account once":             confirmAtOnce,
		"undoing gives the address back and removes what was added since":        undoChange,
		"undoing before the code is entered keeps the address":                   undoBefore,
		"undoing wins over a second change by the thief":                         undoAgainstSecond,
		"undoing and a thief's change at once leave the owner's address":         undoRace,
		"a link to undo works once, for seven days, and not for others":          undoBounds,
		"an address is reserved while its change can be undone":                  reservedAddress,
		"the limits of changes keep strangers' mailboxes quiet":                  changeLimits,
		"deleting an account erases the mails to its former address":             eraseFormer,
		"deleting an account erases the code mailed to the address it asked for": eraseAsked,
		"a change of address is found as it was stored":                          storedChange,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

const annOld, annNew = "ann@example.org", "ann@new.example"

// requestChange asks for a change of ann's address and returns the mails.
func requestChange(t *testing.T, k *authkit.Fixture, by user.Caller, from, to string) (code string, undo string) {
	t.Helper()
	must.Do(t, k.EmailChanges.Request(ctx, by, " "+strings.ToUpper(to)))
	return k.LastMail(t, message.EmailChange, to).Code, undoToken(t, k.LastMail(t, message.EmailChanged, from))
}

// changed moves ann to her new address.
func changed(t *testing.T, k *authkit.Fixture) (by user.Caller, undo string) {
	t.Helper()
	k.CreateUser(t, annOld)
	by = proved(t, k, annOld)
	code, undo := requestChange(t, k, by, annOld, annNew)
	must.Get(k.EmailChanges.Confirm(ctx, by, code))(t)
	return by, undo
}

func emailOf(t *testing.T, k *authkit.Fixture, id user.ID) string {
	t.Helper()
	u := must.Get(k.Store.Identity.FindUser(ctx, id))(t)
	return string(u.Email)
}

func changeEmail(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, annOld)
	other := k.SignIn(t, annOld)
	by := proved(t, k, annOld)
	code, _ := requestChange(t, k, by, annOld, annNew)
	notice := k.LastMail(t, message.EmailChanged, annOld)
	if !strings.HasPrefix(notice.Link, "https://octavo.example/account/undo-email?token=") || notice.ExpiresAt.Sub(notice.CreatedAt) != 7*24*time.Hour || notice.Params[message.ParamEmail] != annNew {
		t.Fatalf("notice is %+v", notice)
	}
	if got := emailOf(t, k, by.ID); got != annOld {
		t.Fatalf("the address is %s before the code, want %s", got, annOld)
	}
	want(t, must.Err(k.EmailChanges.Confirm(ctx, by, wrong(code))), challenge.ErrCodeInvalid)
	u := must.Get(k.EmailChanges.Confirm(ctx, by, code))(t)
	if u.Email != annNew || emailOf(t, k, by.ID) != annNew {
		t.Fatalf("user is %+v", u)
	}
	k.CallerOf(t, refresh(t, k, other.RefreshToken))
	k.SignIn(t, annNew)
	want(t, must.Err(signIn(k, annOld, authkit.Password, authkit.Chrome)), auth.ErrInvalidCredentials)
	if n := auditActions(t, k, by.ID); n["user.email_change_requested"] != 1 || n["user.email_changed"] != 1 {
		t.Fatalf("audit entries %v", n)
	}
}

func changeEmailRules(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	weak := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	k.Clock.Advance(session.ProofLifetime)
	want(t, k.EmailChanges.Request(ctx, user.Caller{}, annNew), user.ErrUnauthenticated)
	want(t, k.EmailChanges.Request(ctx, weak, annNew), user.ErrProofNeeded)
	want(t, must.Err(k.EmailChanges.Confirm(ctx, user.Caller{}, "12345678")), user.ErrUnauthenticated)
	by := proved(t, k, "ann@u.edu")
	app := by
	app.Client, app.Scopes = "an application", "email"
	want(t, k.EmailChanges.Request(ctx, app, annNew), user.ErrForbidden)
	want(t, k.EmailChanges.Request(ctx, by, "ann@"), user.ErrEmailInvalid)
	want(t, k.EmailChanges.Request(ctx, by, " Ann@u.edu "), user.ErrSameEmail)
	must.Get(k.Users.UpdateProfile(ctx, by, fullProfile()))(t)
	want(t, k.EmailChanges.Request(ctx, by, annNew), campus.ErrAddress)
	code, _ := requestChange(t, k, by, "ann@u.edu", "ann@v.edu")
	must.Get(k.EmailChanges.Confirm(ctx, by, code))(t)
}

func changeToTaken(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, annOld)
	k.CreateUser(t, "bob@example.org")
	by := proved(t, k, annOld)
	must.Do(t, k.EmailChanges.Request(ctx, by, "bob@example.org"))
	if n := len(k.Mails(message.EmailChange, "bob@example.org")); n != 0 {
		t.Fatalf("%d codes were mailed, want 0", n)
	}
	if m := k.LastMail(t, message.AccountExists, "bob@example.org"); m.Code != "" || m.Link != "" {
		t.Fatalf("mail is %+v", m)
	}
	k.LastMail(t, message.EmailChanged, annOld)
	for range 5 {
		want(t, must.Err(k.EmailChanges.Confirm(ctx, by, "12345678")), challenge.ErrCodeInvalid)
	}
}

func changeEmailCodes(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, annOld)
	k.CreateUser(t, "bob@example.org")
	ann, bob := proved(t, k, annOld), proved(t, k, "bob@example.org")
	first, _ := requestChange(t, k, ann, annOld, "first@example.org")
	k.Clock.Advance(time.Minute)
	second, _ := requestChange(t, k, ann, annOld, annNew)
	for name, code := range map[string]string{"of the first change": first} {
		if _, err := k.EmailChanges.Confirm(ctx, ann, code); !errors.Is(err, challenge.ErrCodeInvalid) {
			t.Errorf("a code %s: %v, want %v", name, err, challenge.ErrCodeInvalid)
		}
	}
	want(t, must.Err(k.EmailChanges.Confirm(ctx, bob, second)), challenge.ErrCodeInvalid)
	askReset(t, k, authkit.Firefox)
	askCode(t, k, annOld, authkit.Firefox)
	for _, kind := range []message.Kind{message.PasswordReset, message.SignInCode} {
		want(t, must.Err(k.EmailChanges.Confirm(ctx, ann, k.LastMail(t, kind, annOld).Code)), challenge.ErrCodeInvalid)
	}
	want(t, reset(k, second, authkit.Firefox), challenge.ErrCodeInvalid)
	wantCode(t, k, annOld, second, authkit.Firefox, challenge.ErrCodeInvalid)
	wantCode(t, k, annNew, second, authkit.Firefox, challenge.ErrCodeInvalid)
	must.Get(k.EmailChanges.Confirm(ctx, ann, second))(t)
}

func changeAtOnce(t *testing.T, k *authkit.Fixture) {
	var callers []user.Caller
	var codes []string
	for _, email := range []string{"one@example.org", "two@example.org", "six@example.org"} {
		k.CreateUser(t, email)
		by := proved(t, k, email)
		code, _ := requestChange(t, k, by, email, annNew)
		callers, codes = append(callers, by), append(codes, code)
		k.Clock.Advance(time.Minute)
	}
	errs := make([]error, len(callers))
	must.Together(len(errs), func(i int) { _, errs[i] = k.EmailChanges.Confirm(ctx, callers[i], codes[i]) })
	moved := 0
	for i, err := range errs {
		if err == nil {
			moved++
			continue
		}
		want(t, err, user.ErrEmailTaken)
		if emailOf(t, k, callers[i].ID) == annNew {
			t.Error("a refused change took effect")
		}
	}
	if moved != 1 {
		t.Fatalf("%d accounts have one address, want 1", moved)
	}
}

func confirmAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, annOld)
	by := proved(t, k, annOld)
	code, _ := requestChange(t, k, by, annOld, annNew)
	errs := make([]error, 4)
	must.Together(len(errs), func(i int) { _, errs[i] = k.EmailChanges.Confirm(ctx, by, code) })
	if n := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err != nil }); len(n) != 1 {
		t.Fatalf("%v", errs)
	}
}

func reservedAddress(t *testing.T, k *authkit.Fixture) {
	by, undo := changed(t, k)
	root := k.CreateCaller(t, "root@example.org", user.Admin)
	signUp(t, k, annOld, otherPassword)
	codes := len(k.Mails(message.Verification, annOld)) // from before the change
	must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: annOld, From: authkit.Chrome}))
	if n, sent := len(k.Mails(message.AccountExists, annOld)), len(k.Mails(message.Verification, annOld)); n != 1 || sent != codes {
		t.Fatalf("%d notices, want 1; %d codes that confirm nothing", n, sent-codes)
	}
	want(t, must.Err(k.Invitations.Invite(ctx, root, annOld, user.EN)), user.ErrEmailTaken)
	if again := must.Get(k.Users.Import(ctx, strings.NewReader(annOld+",x:"+otherPassword), account.ImportOptions{}))(t); again.Imported != 0 {
		t.Fatalf("the file from which ann came makes another account of hers: %+v", again)
	}
	k.CreateUser(t, "thief@example.org")
	thief := proved(t, k, "thief@example.org")
	must.Do(t, k.EmailChanges.Request(ctx, thief, annOld))
	if n := len(k.Mails(message.EmailChange, annOld)); n != 0 {
		t.Fatalf("%d codes, want 0", n)
	}
	must.Do(t, k.EmailChanges.Undo(ctx, undo, authkit.Chrome))
	if got := emailOf(t, k, by.ID); got != annOld {
		t.Fatalf("the address is %s, want %s", got, annOld)
	}
	bob := k.CreateUser(t, "bob@example.org")
	caller := proved(t, k, "bob@example.org")
	code, _ := requestChange(t, k, caller, "bob@example.org", "bob@new.example")
	must.Get(k.EmailChanges.Confirm(ctx, caller, code))(t)
	k.Clock.Advance(8 * 24 * time.Hour)
	if again := k.CreateUser(t, "bob@example.org"); again.ID == bob.ID {
		t.Fatal("the account is the same")
	}
}

func changeLimits(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, annOld)
	k.CreateUser(t, "bob@example.org")
	ann, bob := proved(t, k, annOld), proved(t, k, "bob@example.org")
	requestChange(t, k, ann, annOld, annNew)
	want(t, k.EmailChanges.Request(ctx, ann, "other@example.org"), limit.ErrExceeded)
	must.Do(t, k.EmailChanges.Request(ctx, bob, annNew)) // within the minute: no second mail
	if n := len(k.Mails(message.EmailChange, annNew)); n != 1 {
		t.Fatalf("%d mails, want 1", n)
	}
}

func eraseFormer(t *testing.T, k *authkit.Fixture) {
	by, _ := changed(t, k)
	root := k.CreateCaller(t, "root@example.org", user.Owner)
	must.Get(k.Users.Delete(ctx, root, []user.ID{by.ID}))(t)
	for _, m := range k.Store.Messages() {
		if m.To == annOld || m.To == annNew {
			t.Errorf("a %s mail to %s is left", m.Kind, m.To)
		}
	}
	k.CreateUser(t, annOld)
}

func eraseAsked(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, annOld)
	ann := proved(t, k, annOld)
	requestChange(t, k, ann, annOld, annNew)
	root := k.CreateCaller(t, "root@example.org", user.Owner)
	must.Get(k.Users.Delete(ctx, root, []user.ID{ann.ID}))(t)
	if left := k.Mails(message.EmailChange, annNew); len(left) != 0 {
		t.Errorf("%d mails to the address that the deleted person asked for are left", len(left))
	}
}

func storedChange(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, annOld)
	saved := user.EmailChange{ID: 7, User: u.ID, From: annOld, To: annNew, Password: u.PasswordMark(), RequestedAt: monday}
	later := saved
	later.ID, later.ConfirmedAt = 8, monday.Add(time.Minute)
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		for _, c := range []user.EmailChange{saved, later} {
			must.Do(t, k.Store.Identity.AccountStore(st).PutEmailChange(ctx, c))
			found := must.Get(k.Store.Identity.AccountStore(st).LockEmailChange(ctx, c.ID))(t)
			if found != c {
				t.Errorf("found %+v, want %+v", found, c)
			}
		}
		want(t, must.Err(k.Store.Identity.AccountStore(st).LockEmailChange(ctx, 9)), challenge.ErrCodeInvalid)
		for _, c := range []struct {
			except user.ID
			after  time.Duration
			want   bool
		}{{0, 0, true}, {u.ID, 0, false}, {0, user.UndoPeriod - time.Second, true}, {0, user.UndoPeriod, false}} {
			if reserved, err := k.Store.Identity.AccountStore(st).IsEmailReserved(ctx, annOld, c.except, monday.Add(c.after)); err != nil || reserved != c.want {
				t.Errorf("%+v: %v, %v; want %v", c, reserved, err, c.want)
			}
		}
		gone := must.Get(k.Store.Identity.AccountStore(st).DeleteEmailChanges(ctx, u.ID, 8))(t)
		if !slices.Equal(gone, []user.EmailChange{later}) {
			t.Errorf("deleted %+v", gone)
		}
		reserved, err := k.Store.Identity.AccountStore(st).IsEmailReserved(ctx, annOld, 0, monday)
		if reserved {
			t.Error("a change that was not confirmed reserves the address")
		}
		return err
	}))
}
