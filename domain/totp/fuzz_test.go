package totp_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/totp"
)

// Whatever people type, it is one kind of code at most, and another spelling of the same one is
// the same.
func FuzzTypedCodes(f *testing.F) {
	for _, seed := range []string{"123456", "123 456", " 12\t34\n56 ", "１２３４５６", "7k3q-09ab-xw2m-h5tz", "7K3Q 09AB XW2M H5TZ", "OOOO-iiii-LLLL-0000", "", "-", "12345", strings.Repeat(" ", 30)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		code, ok := totp.ParseCode(typed)
		recovery, ok2 := totp.ParseRecoveryCode(typed)
		if ok && ok2 {
			t.Errorf("%q is both %q and %q", typed, code, recovery)
		}
		if again, same := totp.ParseCode(code); ok && (!same || again != code || len(code) != 6) {
			t.Errorf("%q is %q and then %q", typed, code, again)
		}
		if again, same := totp.ParseRecoveryCode(recovery); ok2 && (!same || again != recovery || len(recovery) != 16) {
			t.Errorf("%q is %q and then %q", typed, recovery, again)
		}
		var secret totp.Secret
		if step, matches := secret.Match(code, time.Unix(1_800_000_000, 0), 0); ok && matches && secret.Code(step) != code {
			t.Errorf("%q matches step %d", typed, step)
		}
	})
}

// Apps read the secret, the service and the account out of the address, whatever their names are.
func FuzzURI(f *testing.F) {
	f.Add("Octavo", "ann@example.edu")
	f.Add("A: B & C?secret=x", "o'hara+x%41@example.edu")
	f.Add("Universität #1", "")
	f.Fuzz(func(t *testing.T, issuer, account string) {
		secret := totp.Secret{1, 2, 3}
		u, err := url.Parse(secret.URI(issuer, account))
		if err != nil {
			t.Fatalf("%q, %q: %v", issuer, account, err)
		}
		q := u.Query()
		service, person, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), ":")
		if u.Scheme != "otpauth" || u.Host != "totp" || len(q["secret"]) != 1 || q.Get("secret") != secret.String() || q.Get("issuer") != service || person != account {
			t.Errorf("%q, %q: %s", issuer, account, u)
		}
	})
}
