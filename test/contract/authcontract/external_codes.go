package authcontract

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func mailedCode(t *testing.T, k *authkit.Fixture) {
	old := k.CreateUser(t, "ann@u.edu")
	for _, c := range []struct {
		provider string
		claims   identity.Claims
	}{
		{"doubtful", ann("1")},
		{"trusted", identity.Claims{Subject: "2", Email: "ann@u.edu"}}, // which it does not call verified
	} {
		k.Clock.Advance(time.Minute)
		a := must.Get(externalSignIn(t, k, c.provider, c.claims))(t)
		if a.Code == "" || a.AccessToken != "" || a.Address != "ann@u.edu" {
			t.Fatalf("%s: the result is %+v", c.provider, a)
		}
		m := k.LastMail(t, message.IdentityCode, "ann@u.edu")
		a = must.Get(k.Identities.ConfirmCode(ctx, a.Code, m.Code[:4]+" "+m.Code[4:], authkit.Firefox))(t)
		if a.User.ID != old.ID || a.AccessToken == "" || a.Next != "/next" {
			t.Fatalf("%s: the result is %+v", c.provider, a)
		}
		again := must.Get(externalSignIn(t, k, c.provider, c.claims))(t)
		if again.User.ID != old.ID { // it is known now
			t.Fatalf("%s: signed in again as %+v", c.provider, again)
		}
	}
}

func codeRevealsNothing(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	var seen []external.CallbackResult
	for _, address := range []string{"ann@u.edu", "nobody@u.edu"} {
		a := must.Get(externalSignIn(t, k, "doubtful", identity.Claims{Subject: address, Email: address}))(t)
		m := k.LastMail(t, message.IdentityCode, address)
		want(t, confirmCode(k, a.Code, wrong(m.Code)), challenge.ErrCodeInvalid)
		a.Code, a.Address = "", ""
		seen = append(seen, a)
	}
	if seen[0] != seen[1] {
		t.Fatalf("with an account %+v, without %+v", seen[0], seen[1])
	}
}

func confirmCode(k *authkit.Fixture, id, code string) error {
	return must.Err(k.Identities.ConfirmCode(ctx, id, code, authkit.Firefox))
}

func codeIsBound(t *testing.T, k *authkit.Fixture) {
	start := func() (string, string) {
		k.Clock.Advance(10 * time.Hour)
		a := must.Get(externalSignIn(t, k, "doubtful", ann("1")))(t)
		return a.Code, k.LastMail(t, message.IdentityCode, "ann@u.edu").Code
	}
	id, code := start()
	for range challenge.MaxAttempts - 1 {
		want(t, confirmCode(k, id, wrong(code)), challenge.ErrCodeInvalid)
		want(t, confirmCode(k, id, "1234"), challenge.ErrCodeInvalid) // a slip does not count
	}
	want(t, must.Err(k.Identities.ConfirmCode(ctx, id, code, authkit.Chrome)), challenge.ErrCeremonyInvalid)
	want(t, confirmCode(k, id, wrong(code)), challenge.ErrCodeInvalid)
	want(t, confirmCode(k, id, code), challenge.ErrCeremonyInvalid)

	first, firstCode := start()
	second, secondCode := start()
	want(t, confirmCode(k, second, firstCode), challenge.ErrCodeInvalid)
	must.Do(t, confirmCode(k, second, secondCode))
	want(t, confirmCode(k, second, secondCode), challenge.ErrCeremonyInvalid)
	want(t, confirmCode(k, first, firstCode), challenge.ErrCeremonyInvalid) // ten hours old
	for _, id := range []string{"", "x", second + "A"} {
		want(t, confirmCode(k, id, secondCode), challenge.ErrCeremonyInvalid)
	}
}

func codeWithoutMail(t *testing.T, k *authkit.Fixture) {
	var codes []string
	for range 8 { // one a minute is mailed
		a := must.Get(externalSignIn(t, k, "doubtful", ann("1")))(t)
		codes = append(codes, a.Code)
	}
	mails := k.Mails(message.IdentityCode, "ann@u.edu")
	if len(mails) != 1 {
		t.Fatalf("%d mails within a minute, want 1", len(mails))
	}
	want(t, confirmCode(k, codes[1], mails[0].Code), challenge.ErrCodeInvalid)
	must.Do(t, confirmCode(k, codes[0], mails[0].Code))
}

func answerIsBound(t *testing.T, k *authkit.Fixture) {
	finish := func(t external.Ticket, a identity.Answer, from user.ClientInfo) error {
		return must.Err(k.Identities.Finish(ctx, t, a, user.EN, from))
	}
	one, answer := beginExternal(t, k, "trusted", ann("1"))
	two, other := beginExternal(t, k, "trusted", ann("2"))
	want(t, finish(one, other, authkit.Firefox), challenge.ErrCeremonyInvalid)
	for _, state := range []string{"", one.State + "A", one.State[1:]} {
		want(t, finish(one, identity.Answer{Code: answer.Code, State: state}, authkit.Firefox), challenge.ErrCeremonyInvalid)
	}
	want(t, finish(one, answer, authkit.Chrome), challenge.ErrCeremonyInvalid) // it is left for its own browser
	must.Do(t, finish(one, answer, authkit.Firefox))
	k.ProviderClient.Put(answer.Code, ann("1"))
	want(t, finish(one, answer, authkit.Firefox), challenge.ErrCeremonyInvalid)

	forged := two
	forged.User = 1
	want(t, finish(forged, other, authkit.Firefox), challenge.ErrCeremonyInvalid)
	if r := k.ProviderClient.Redeemed; len(r) != 1 || r[0] != one.Request || r[0].Nonce == r[0].State || r[0].Verifier == r[0].Nonce {
		t.Fatalf("redeemed %+v", r)
	}
	k.Clock.Advance(10 * time.Minute)
	want(t, finish(two, other, authkit.Firefox), challenge.ErrCeremonyInvalid)

	cancelled, a := beginExternal(t, k, "trusted", ann("3"))
	a.Error = "access_denied"
	want(t, finish(cancelled, a, authkit.Firefox), identity.ErrCancelled)
	a.Error = ""
	want(t, finish(cancelled, a, authkit.Firefox), challenge.ErrCeremonyInvalid)
}

func answersAtOnce(t *testing.T, k *authkit.Fixture) {
	ticket, a := beginExternal(t, k, "trusted", ann("1"))
	errs := make([]error, 8)
	var group sync.WaitGroup
	for n := range errs {
		group.Go(func() { _, errs[n] = k.Identities.Finish(ctx, ticket, a, user.EN, authkit.Firefox) })
	}
	group.Wait()
	in := 0
	for _, err := range errs {
		if err == nil {
			in++
		} else if !errors.Is(err, challenge.ErrCeremonyInvalid) {
			t.Error(err)
		}
	}
	if in != 1 {
		t.Errorf("%d answers signed in, want 1", in)
	}
}
