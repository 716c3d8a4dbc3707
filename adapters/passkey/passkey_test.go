package passkey_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	adapter "github.com/octavo-books/octavo/adapters/passkey"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authenticator"
	"github.com/octavo-books/octavo/test/must"
)

var ann = user.User{ID: 7, Email: "ann@u.edu", Name: "Ann"}

func verifier(t *testing.T, c adapter.Config) *adapter.Verifier {
	t.Helper()
	c.Service = "Campus Books"
	return must.Get(adapter.New(c))(t)
}

func TestOnlyPagesOfTheConfiguredOriginsMayAskForPasskeys(t *testing.T) {
	for _, c := range []struct {
		config        adapter.Config
		party, origin string
		accepted      bool
	}{
		{adapter.Config{BaseURL: "https://octavo.example/"}, "octavo.example", "https://octavo.example", true},
		{adapter.Config{BaseURL: "https://octavo.example:8443"}, "octavo.example", "https://octavo.example:8443", true},
		{adapter.Config{BaseURL: "https://octavo.example:8443"}, "octavo.example", "https://octavo.example", false},
		{adapter.Config{BaseURL: "https://octavo.example", Origins: []string{"https://app.octavo.example"}}, "octavo.example", "https://app.octavo.example", true},
		{adapter.Config{BaseURL: "https://octavo.example"}, "octavo.example", "https://app.octavo.example", false},
		{adapter.Config{BaseURL: "https://octavo.example", Development: true}, "octavo.example", "http://localhost:5173", true},
		{adapter.Config{BaseURL: "http://127.0.0.1:3000", Development: true}, "localhost", "http://localhost:3000", true},
		{adapter.Config{BaseURL: "http://[::1]:3000", Development: true}, "localhost", "http://localhost:5173", true},
		{adapter.Config{BaseURL: "http://localhost:3000"}, "localhost", "http://localhost:3000", true},
		{adapter.Config{BaseURL: "http://localhost:3000"}, "localhost", "http://localhost:5173", false},
		{adapter.Config{BaseURL: "http://localhost:3000", Development: true}, "localhost", "http://localhost.evil.test", false},
		{adapter.Config{BaseURL: "http://localhost:3000", Development: true}, "localhost", "http://user@localhost:3000", false},
	} {
		v := verifier(t, c.config)
		options, state := must.Get2(v.BeginRegistration(ann, nil))(t)
		_, err := v.FinishRegistration(ann, state, authenticator.New(c.party, c.origin).Create(options))
		if (err == nil) != c.accepted || err != nil && !errors.Is(err, passkey.ErrInvalid) {
			t.Errorf("%+v: a page of %s: %v", c.config, c.origin, err)
		}
	}
}

func TestAnAddressWithoutADomainNameHasNoPasskeys(t *testing.T) {
	for _, c := range []adapter.Config{
		{BaseURL: "https://192.0.2.1"}, {BaseURL: "https://[2001:db8::1]"}, {BaseURL: "http://127.0.0.1:3000"}, {BaseURL: "http://192.0.2.1", Development: true},
	} {
		v := verifier(t, c)
		_, _, err := v.BeginSignIn()
		_, _, err2 := v.BeginRegistration(ann, nil)
		for _, err := range []error{err, err2} {
			if f := fault.As(err); !errors.Is(err, passkey.ErrInvalid) || !strings.Contains(f.Msg, "domain name") {
				t.Errorf("%s: %v", c.BaseURL, err)
			}
		}
	}
	if _, err := adapter.New(adapter.Config{BaseURL: "octavo.example"}); err == nil {
		t.Error("a base URL without a host was accepted")
	}
}

func TestTheOptionsAskForAVerifiedUserAndADiscoverableCredential(t *testing.T) {
	v := verifier(t, adapter.Config{BaseURL: "https://octavo.example"})
	has := passkey.Passkey{Credential: passkey.Credential{CredentialID: []byte("known"), Transports: []string{"usb"}}}
	options, _ := must.Get2(v.BeginRegistration(ann, []passkey.Passkey{has}))(t)
	var creation struct {
		PublicKey struct {
			RP                     struct{ ID, Name string }
			User                   struct{ ID, Name, DisplayName string }
			AuthenticatorSelection struct{ ResidentKey, UserVerification string }
			ExcludeCredentials     []struct{ ID string }
			Attestation            string
			Timeout                int
		}
	}
	must.Do(t, json.Unmarshal(options, &creation))
	o := creation.PublicKey
	if o.RP.ID != "octavo.example" || o.RP.Name != "Campus Books" || o.User.Name != "ann@u.edu" || o.User.DisplayName != "Ann" || o.User.ID != "AAAAAAAAAAc" ||
		o.AuthenticatorSelection.ResidentKey != "required" || o.AuthenticatorSelection.UserVerification != "required" || o.Attestation != "none" ||
		len(o.ExcludeCredentials) != 1 || o.ExcludeCredentials[0].ID != "a25vd24" || o.Timeout != 300_000 {
		t.Errorf("the options are %s", options)
	}
	options, _, err := v.BeginSignIn()
	if err != nil || !strings.Contains(string(options), `"userVerification":"required"`) || !strings.Contains(string(options), `"rpId":"octavo.example"`) ||
		strings.Contains(string(options), "allowCredentials") {
		t.Errorf("the options are %s, %v", options, err)
	}
}

func FuzzResponse(f *testing.F) {
	v := must.Get(adapter.New(adapter.Config{BaseURL: "https://octavo.example", Service: "Octavo"}))(f)
	key := authenticator.New("octavo.example", "https://octavo.example")
	creation, created := must.Get2(v.BeginRegistration(ann, nil))(f)
	request, requested := must.Get2(v.BeginSignIn())(f)
	f.Add([]byte(key.Create(creation)))
	f.Add([]byte(key.Sign(request)))
	f.Fuzz(func(t *testing.T, response []byte) {
		if _, err := v.FinishRegistration(ann, created, response); err != nil && !errors.Is(err, passkey.ErrInvalid) {
			t.Error(err)
		}
		of, err := v.ResponseOwner(response)
		if err != nil && !errors.Is(err, passkey.ErrInvalid) {
			t.Error(err)
		}
		must.Refuse(t, must.Err(v.FinishSignIn(of, nil, requested, response)), passkey.ErrInvalid, "an unknown credential was accepted")
	})
}
