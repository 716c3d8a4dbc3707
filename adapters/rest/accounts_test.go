package rest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

func TestAStudentSignsUpConfirmsAndSignsIn(t *testing.T) {
	w := newMarketFixture(t)
	r := w.post("/api/auth/signup", "", with(signup("ann"), "email", " Ann@CS.Rochester.EDU "))
	if r.wantStatus(201, "").text("email") != "ann@cs.rochester.edu" {
		t.Errorf("answered %s", r)
	}
	credentials := object{"email": "ann@cs.rochester.edu", "password": password}
	w.post("/api/auth/login", "", credentials).wantStatus(401, "invalid_credentials")
	path := "/api/auth/confirm/" + w.link("ann@cs.rochester.edu")
	for range 2 {
		if w.get(path, "", header("Accept", "application/json")).wantStatus(200, "").at("verified") != true {
			t.Error("not confirmed")
		}
	}
	r = w.post("/api/auth/login", "", credentials).wantStatus(200, "")
	u, _ := r.at("user").(map[string]any)
	if u["email"] != "ann@cs.rochester.edu" || u["firstName"] != "Ann" || u["permissionType"] != 0.0 || u["verified"] != true || r.at("expiresIn") != 1200.0 {
		t.Errorf("answered %s", r)
	}
	if strings.Contains(strings.ToLower(r.raw), "hash") || strings.Contains(r.raw, "password") {
		t.Errorf("the response contains a part of the password: %s", r)
	}
	w.get("/api/user/getUserData", r.text("token")).wantStatus(200, "")
}

func TestSignupRefusesInvalidFields(t *testing.T) {
	w := newMarketFixture(t)
	for name, c := range map[string]struct {
		body  object
		code  string
		field string
	}{
		"no .edu":              {with(signup("ann"), "email", "ann@rochester.com"), "email_not_campus", "email"},
		"edu elsewhere":        {with(signup("ann"), "email", "ann@edu.example.com"), "email_not_campus", "email"},
		"no address":           {with(signup("ann"), "email", "ann"), "invalid_fields", "email"},
		"a short password":     {with(signup("ann"), "password", "short"), "password_invalid", "password"},
		"a common password":    {with(signup("ann"), "password", "password123"), "password_invalid", "password"},
		"another language":     {with(signup("ann"), "lang", "de"), "invalid_fields", "lang"},
		"a mailbox of 101":     {with(signup("ann"), "campusMailbox", strings.Repeat("x", 101)), "invalid_fields", "campusMailbox"},
		"a null where text is": {with(signup("ann"), "lastName", nil), "invalid_fields", "lastName"},
	} {
		r := w.post("/api/auth/signup", "", c.body).wantStatus(400, c.code)
		if _, ok := r.fields()[c.field]; !ok {
			t.Errorf("%s: %s is not among the fields of the error: %s", name, c.field, r)
		}
	}
}

func TestSignupAnswersTheSameForATakenAddress(t *testing.T) {
	w := newMarketFixture(t)
	w.as("ann")
	if r := w.post("/api/auth/signup", "", with(signup("ann"), "password", "another long password")).wantStatus(201, ""); r.text("email") != "ann@rochester.edu" {
		t.Errorf("answered %s", r)
	}
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": "another long password"}).wantStatus(401, "invalid_credentials")
}

func TestWrongCredentialsHaveOneAnswer(t *testing.T) {
	w := newMarketFixture(t)
	w.as("ann")
	w.post("/api/auth/signup", "", signup("bob"))
	texts := map[string]bool{}
	for _, c := range []object{
		{"email": "ann@rochester.edu", "password": "wrong password"}, {"email": "nobody@rochester.edu", "password": password},
		{"email": "bob@rochester.edu", "password": password}, {"email": "no address", "password": password}, {"email": "ann@rochester.edu", "password": ""},
	} {
		r := w.post("/api/auth/login", "", c).wantStatus(401, "invalid_credentials")
		texts[r.text("error")] = true
		if r.header.Get("WWW-Authenticate") != "Bearer" {
			t.Error("no WWW-Authenticate")
		}
	}
	if len(texts) != 1 {
		t.Errorf("the refusals differ: %v", texts)
	}
}

func TestTooManyWrongPasswordsAreLimited(t *testing.T) {
	w := newMarketFixture(t)
	w.as("ann")
	wrong := object{"email": "ann@rochester.edu", "password": "wrong password"}
	for range 10 {
		w.post("/api/auth/login", "", wrong).wantStatus(401, "")
	}
	r := w.post("/api/auth/login", "", wrong).wantStatus(429, "rate_limited")
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
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
	w.get("/api/getUserData", second.text("token")).wantStatus(200, "")
	w.post("/api/auth/refresh", "", object{"refreshToken": "forged"}).wantStatus(401, "session_invalid")
	w.post("/api/auth/logout", second.text("token"), nil).wantStatus(200, "")
	w.get("/api/getUserData", second.text("token")).wantStatus(401, "unauthenticated")
	w.get("/api/getUserData", first.text("token")).wantStatus(401, "unauthenticated")
	w.post("/api/auth/refresh", "", object{"refreshToken": second.text("refreshToken")}).wantStatus(401, "session_invalid")
	w.post("/api/auth/logout", second.text("token"), nil).wantStatus(401, "unauthenticated")
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

func TestAnExpiredTokenIsRefused(t *testing.T) {
	w := newMarketFixture(t)
	token := w.as("ann")
	w.Clock.Advance(20 * time.Minute)
	w.get("/api/getUserData", token).wantStatus(401, "unauthenticated")
	w.get("/api/books/getAllBooks", token).wantStatus(401, "unauthenticated")
	w.get("/api/books/search/public/x", token).wantStatus(200, "")
}

func TestThePasswordIsResetWithAMailedCode(t *testing.T) {
	w := newMarketFixture(t)
	old := w.as("ann")
	for _, email := range []string{"ann@rochester.edu", "nobody@rochester.edu"} {
		w.post("/api/auth/passwordResetRequest", "", object{"email": email}).wantStatus(200, "")
	}
	code := ""
	for _, m := range w.Store.Messages() {
		if m.Kind == message.PasswordReset {
			code = m.Code
		}
	}
	reset := object{"email": "ann@rochester.edu", "code": code, "password": "a new long password"}
	if r := w.post("/api/auth/passwordReset", "", with(reset, "password", "short")).wantStatus(400, "password_invalid"); r.fields()["password"] == nil {
		t.Errorf("answered %s", r)
	}
	if r := w.post("/api/auth/passwordReset", "", with(reset, "code", "00000000")).wantStatus(400, "code_invalid"); r.fields()["code"] == nil {
		t.Errorf("answered %s", r)
	}
	w.post("/api/auth/passwordReset", "", reset).wantStatus(200, "")
	w.post("/api/auth/passwordReset", "", reset).wantStatus(400, "code_invalid")
	w.get("/api/getUserData", old).wantStatus(401, "unauthenticated")
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": "a new long password"}).wantStatus(200, "")
}

func TestChangingThePasswordRequiresTheOldOne(t *testing.T) {
	w := newMarketFixture(t)
	here := w.as("ann")
	elsewhere := w.login("ann")
	w.post("/api/auth/updatePassword", here, object{"password": "wrong password", "newPassword": "a new long password"}).wantStatus(401, "invalid_credentials")
	r := w.post("/api/auth/updatePassword", here, object{"password": password, "newPassword": "short"}).wantStatus(400, "password_invalid")
	if r.fields()["newPassword"] == nil {
		t.Errorf("answered %s", r)
	}
	w.post("/api/auth/updatePassword", here, object{"password": password, "newPassword": "a new long password"}).wantStatus(200, "")
	w.get("/api/getUserData", here).wantStatus(200, "")
	w.get("/api/getUserData", elsewhere).wantStatus(401, "")
	w.post("/api/auth/updatePassword", "", object{}).wantStatus(401, "unauthenticated")
}

func TestResendConfirmationAlwaysAnswersTheSame(t *testing.T) {
	w := newMarketFixture(t)
	w.as("ann")
	w.post("/api/auth/signup", "", signup("bob"))
	for _, email := range []string{"ann@rochester.edu", "bob@rochester.edu", "nobody@rochester.edu"} {
		if r := w.post("/api/auth/resendConfirmation", "", object{"email": email}).wantStatus(200, ""); len(r.data.(map[string]any)) != 0 {
			t.Errorf("answered %s", r)
		}
	}
	w.get("/api/auth/confirm/"+w.link("bob@rochester.edu"), "", header("Accept", "application/json")).wantStatus(200, "")
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

func TestMailsAreInTheLanguageOfTheSignUp(t *testing.T) {
	w := newMarketFixture(t)
	w.post("/api/auth/signup", "", with(signup("zoe"), "lang", "FR")).wantStatus(201, "")
	w.Clock.Advance(2 * time.Minute)
	w.post("/api/auth/resendConfirmation", "", object{"email": "zoe@rochester.edu"}).wantStatus(200, "")
	mails := w.Mails(message.Verification, "zoe@rochester.edu")
	if len(mails) != 2 {
		t.Fatalf("%d mails", len(mails))
	}
	for _, m := range mails {
		if m.Lang != user.FR {
			t.Errorf("a mail is in %q", m.Lang)
		}
	}
}

func TestTheProfileIsChangedFieldByField(t *testing.T) {
	w := newMarketFixture(t)
	r := w.post("/api/auth/updateProfile", w.as("ann"), object{"university": "MIT"}).wantStatus(200, "")
	if r.text("university") != "MIT" || r.text("firstName") != "Ann" {
		t.Errorf("answered %s", r)
	}
	w.post("/api/auth/updateProfile", w.as("ann"), object{}).wantStatus(200, "")
	w.post("/api/auth/updateProfile", "", object{}).wantStatus(401, "unauthenticated")
}

func TestAnAccountWithoutAProfileMustCompleteIt(t *testing.T) {
	w := newMarketFixture(t)
	token := w.outsider("max@rochester.edu")
	w.get("/api/getCartItems", token).wantStatus(403, "profile_needed")
	w.post("/api/postBook", token, calculus()).wantStatus(403, "profile_needed")
	r := w.post("/api/auth/updateProfile", token, object{"firstName": "Max"}).wantStatus(400, "")
	for _, field := range []string{"lastName", "university", "campusMailbox", "paymentUsername"} {
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
