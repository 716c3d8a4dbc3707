package rest_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

func TestAStudentSignsUpConfirmsAndSignsIn(t *testing.T) {
	w := newMarketFixture(t)
	r := w.post("/api/auth/signup", "", with(signup("ann"), "email", " Ann@CS.Rochester.EDU ", "lang", "FR"))
	if m := w.LastMail(t, message.Verification, "ann@cs.rochester.edu"); r.wantStatus(201, "").text("email") != "ann@cs.rochester.edu" || m.Lang != user.FR {
		t.Errorf("mailed %+v, answered %s", m, r)
	}
	w.Clock.Advance(2 * time.Minute)
	w.post("/api/auth/resendConfirmation", "", object{"email": "ann@cs.rochester.edu"}).wantStatus(200, "")
	if mails := w.Mails(message.Verification, "ann@cs.rochester.edu"); len(mails) != 2 || mails[1].Lang != user.FR {
		t.Errorf("with that sent again: %+v", mails)
	}
	for range 2 {
		path := "/api/auth/confirm/" + w.link("ann@cs.rochester.edu")
		if w.get(path, "", header("Accept", "application/json")).wantStatus(200, "").at("verified") != true {
			t.Error("not confirmed")
		}
	}
	r = w.post("/api/auth/login", "", object{"email": "ann@cs.rochester.edu", "password": password}).wantStatus(200, "")
	u, _ := r.at("user").(map[string]any)
	if u["email"] != "ann@cs.rochester.edu" || u["firstName"] != "Ann" || u["permissionType"] != 0.0 || u["verified"] != true || r.at("expiresIn") != 1200.0 {
		t.Errorf("answered %s", r)
	}
	if strings.Contains(strings.ToLower(r.raw), "hash") || strings.Contains(r.raw, "password") {
		t.Errorf("the response contains a part of the password: %s", r)
	}
	if r := w.post("/api/auth/updateProfile", r.text("token"), object{"university": "MIT"}).wantStatus(200, ""); r.text("university") != "MIT" || r.text("firstName") != "Ann" {
		t.Errorf("the changed profile is %s", r)
	}
}

func TestSignupRefusesInvalidFields(t *testing.T) {
	w := newMarketFixture(t)
	for name, c := range map[string]struct {
		body        object
		code, field string
	}{
		"no .edu":          {with(signup("ann"), "email", "ann@rochester.com"), "email_not_campus", "email"},
		"no address":       {with(signup("ann"), "email", "ann"), "invalid_fields", "email"},
		"a short password": {with(signup("ann"), "password", "short"), "password_invalid", "password"},
		"another language": {with(signup("ann"), "lang", "de"), "invalid_fields", "lang"},
		"a mailbox of 101": {with(signup("ann"), "campusMailbox", strings.Repeat("x", 101)), "invalid_fields", "campusMailbox"},
	} {
		if r := w.post("/api/auth/signup", "", c.body).wantStatus(400, c.code); r.fields()[c.field] == nil {
			t.Errorf("%s: %s is not among the fields of the error: %s", name, c.field, r)
		}
	}
}

func TestWrongCredentialsHaveOneAnswerUntilTheClientHasToWait(t *testing.T) {
	w := newMarketFixture(t)
	w.as("ann")
	texts := map[string]bool{}
	for _, c := range []object{
		{"email": "nobody@rochester.edu", "password": password}, {"email": "no address", "password": password}, {"email": "ann@rochester.edu", "password": ""},
	} {
		r := w.post("/api/auth/login", "", c).wantStatus(401, "invalid_credentials")
		texts[r.text("error")] = true
		if r.header.Get("WWW-Authenticate") != "Bearer" {
			t.Error("no WWW-Authenticate")
		}
	}
	wrong := object{"email": "ann@rochester.edu", "password": "wrong password"}
	r := w.post("/api/auth/login", "", wrong)
	for ; r.status == 401 && len(texts) == 1; r = w.post("/api/auth/login", "", wrong) {
		texts[r.text("error")] = true
	}
	if r.wantStatus(429, "rate_limited").header.Get("Retry-After") == "" || len(texts) != 1 {
		t.Errorf("the refusals are %v, the last one %s", texts, r)
	}
}

func TestRefreshGivesTheNextPairAndLogoutEndsTheSession(t *testing.T) {
	w := newMarketFixture(t)
	w.as("ann")
	first := w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": password})
	second := w.post("/api/auth/refresh", "", object{"refreshToken": first.text("refreshToken")}).wantStatus(200, "")
	if second.text("refreshToken") == first.text("refreshToken") || second.text("user", "email") != "ann@rochester.edu" {
		t.Errorf("answered %s", second)
	}
	w.post("/api/auth/refresh", "", object{"refreshToken": "forged"}).wantStatus(401, "session_invalid")
	w.post("/api/auth/logout", second.text("token"), nil).wantStatus(200, "")
	w.get("/api/getUserData", second.text("token")).wantStatus(401, "unauthenticated")
	w.get("/api/books/search/public/x", second.text("token")).wantStatus(200, "") // asks for nobody
}

func TestLogoutByCookieClearsTheCookies(t *testing.T) {
	w := newMarketFixture(t)
	cookies := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "octavo_access", Value: w.as("ann")})
		r.AddCookie(&http.Cookie{Name: "octavo_refresh", Value: "any"})
	}
	gone := map[string]bool{}
	for _, line := range w.post("/api/auth/logout", "", nil, cookies).wantStatus(200, "").header["Set-Cookie"] {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			t.Fatal(err)
		}
		gone[c.Name] = c.MaxAge < 0 && c.Value == "" && c.Path == "/" && c.HttpOnly
	}
	if !gone["octavo_access"] || !gone["octavo_refresh"] {
		t.Errorf("cleared %v", gone)
	}
	// A token in a header must not clear the cookies of another session.
	if r := w.post("/api/auth/logout", w.login("ann"), nil, cookies).wantStatus(200, ""); len(r.header["Set-Cookie"]) > 0 {
		t.Errorf("cleared %v", r.header["Set-Cookie"])
	}
}

func TestAPasswordIsChangedByTheOldOneOrAMailedCode(t *testing.T) {
	w := newMarketFixture(t)
	token := w.as("ann")
	change := object{"password": password, "newPassword": "a new long password"}
	w.refuses(
		refusal{"ann", "/api/auth/updatePassword", with(change, "password", "wrong password"), 401, "invalid_credentials", ""},
		refusal{"ann", "/api/auth/updatePassword", with(change, "newPassword", "short"), 400, "password_invalid", "newPassword"},
	)
	w.post("/api/auth/updatePassword", token, change).wantStatus(200, "")
	w.post("/api/auth/passwordResetRequest", "", object{"email": "ann@rochester.edu"}).wantStatus(200, "")
	reset := object{"email": "ann@rochester.edu", "code": w.LastMail(t, message.PasswordReset, "ann@rochester.edu").Code, "password": "a third long password"}
	w.refuses(
		refusal{"ann", "/api/auth/passwordReset", with(reset, "password", "short"), 400, "password_invalid", "password"},
		refusal{"ann", "/api/auth/passwordReset", with(reset, "code", "00000000"), 400, "code_invalid", "code"},
	)
	w.post("/api/auth/passwordReset", "", reset).wantStatus(200, "")
	w.get("/api/getUserData", token).wantStatus(401, "unauthenticated")
}

func TestAnyTextIsAcceptedAsAnAddressToMail(t *testing.T) {
	w := newMarketFixture(t)
	for _, path := range []string{"/api/auth/resendConfirmation", "/api/auth/passwordResetRequest"} {
		for _, email := range []string{"zz", "", "a@b@c", "a\x00b", "Ann <ann@rochester.edu>", strings.Repeat("é", 400)} {
			if r := w.post(path, "", object{"email": email}).wantStatus(200, ""); len(r.data.(map[string]any)) != 0 {
				t.Errorf("%s %q: answered %s", path, email, r)
			}
		}
		for _, body := range []object{{}, {"email": nil}, {"email": 7}, {"email": []string{"ann@rochester.edu"}}} {
			if r := w.post(path, "", body).wantStatus(400, "invalid_fields"); r.fields()["email"] == nil {
				t.Errorf("%s %v: answered %s", path, body, r)
			}
		}
	}
}

func TestAnAccountWithoutAProfileMustCompleteIt(t *testing.T) {
	w := newMarketFixture(t)
	token := w.outsider("max@rochester.edu")
	w.get("/api/getCartItems", token).wantStatus(403, "profile_needed")
	w.post("/api/postBook", token, calculus()).wantStatus(403, "profile_needed")
	r := w.post("/api/auth/updateProfile", token, object{"firstName": "Max"}).wantStatus(400, "")
	for _, field := range []string{"lastName", "university"} {
		if r.fields()[field] == nil {
			t.Errorf("%s is not among the fields of the error: %s", field, r)
		}
	}
	profile := signup("max")
	delete(profile, "email")
	delete(profile, "password")
	w.post("/api/auth/updateProfile", token, profile).wantStatus(200, "")
	w.get("/api/getCartItems", token).wantStatus(200, "")
	w.post("/api/auth/updateProfile", w.outsider("eve@example.com"), profile).wantStatus(400, "email_not_campus")
}

// outsider returns a token of an account that was created through the auth service.
func (w *marketFixture) outsider(email string) string {
	w.t.Helper()
	ctx := w.t.Context()
	if err := w.Accounts.SignUp(ctx, signUpByCode(email)); err != nil {
		w.t.Fatal(err)
	}
	for _, m := range w.Store.Messages() {
		if string(m.To) == email && m.Code != "" {
			if err := w.Accounts.VerifyEmail(ctx, email, m.Code, user.ClientInfo{}); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	return w.post("/api/auth/login", "", object{"email": email, "password": password}).wantStatus(200, "").text("token")
}

func TestTheMailboxAndThePaymentNameAreAskedForAtTheFirstSaleOrPurchase(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	joining := signup("kim")
	delete(joining, "campusMailbox")
	delete(joining, "paymentUsername")
	w.post("/api/auth/signup", "", joining).wantStatus(201, "")
	w.post("/api/auth/confirm/"+w.link("kim@rochester.edu"), "", nil).wantStatus(200, "")
	kim := w.login("kim")
	me := w.get("/api/user/getUserData", kim).wantStatus(200, "").data.(map[string]any)
	if me["firstName"] != "Kim" || me["campusMailbox"] != nil || me["paymentUsername"] != nil {
		t.Errorf("kim is %v", me)
	}
	w.post("/api/user/addToCart", kim, object{"bookId": id}).wantStatus(200, "")
	calls := map[string]object{
		"/api/books/postBook": calculus(), "/api/books/checkoutCart": {}, "/api/books/makeOffer": {"bookId": id, "price": 1},
		"/api/books/postBooks": {"books": []object{calculus()}},
	}
	refused := func(fields ...string) {
		t.Helper()
		for path, body := range calls {
			r := w.post(path, kim, body).wantStatus(403, "profile_needed")
			if got := slices.Sorted(maps.Keys(r.fields())); !slices.Equal(got, fields) {
				t.Errorf("%s names %v, want %v", path, got, fields)
			}
		}
	}
	refused("campusMailbox", "paymentUsername")
	w.post("/api/auth/updateProfile", kim, object{"campusMailbox": "7"}).wantStatus(200, "")
	refused("paymentUsername")
	w.post("/api/auth/updateProfile", kim, object{"paymentUsername": "kim"}).wantStatus(200, "")
	w.post("/api/books/makeOffer", kim, object{"bookId": id, "price": 1}).wantStatus(201, "")
	w.post("/api/books/checkoutCart", kim, object{}).wantStatus(201, "")
	w.post("/api/books/postBook", kim, calculus()).wantStatus(201, "")
}
