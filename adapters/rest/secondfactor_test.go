package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

func TestALoginWithASecondFactorIsCompletedWithItsCode(t *testing.T) {
	w := newMarketFixture(t)
	by, err := w.Authenticator.Authenticate(context.Background(), w.as("ann"), user.ClientInfo{})
	if err != nil {
		t.Fatal(err)
	}
	app := w.EnableSecondFactor(t, by)
	login := func(changes ...func(*http.Request)) *result {
		return w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": password}, changes...)
	}
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": authkit.Password}).wantStatus(401, "invalid_credentials")
	first := login().wantStatus(401, "second_factor_required")
	challenge := first.text("challenge")
	if strings.Contains(first.raw, "token") {
		t.Errorf("the first step answers %s", first)
	}
	w.post("/api/auth/complete", "", object{"challenge": challenge, "code": "000000"}).wantStatus(400, "code_invalid")
	w.post("/api/auth/complete", "", object{"challenge": "x", "code": "000000"}).wantStatus(400, "challenge_invalid")
	w.post("/api/auth/complete", "", object{"challenge": challenge}).wantStatus(400, "invalid_fields")
	second := w.post("/api/auth/complete", "", object{"challenge": challenge, "code": app.Next(), "remember": true}).wantStatus(200, "")
	w.get("/api/getUserData", second.text("token")).wantStatus(200, "")
	w.post("/api/auth/complete", "", object{"challenge": challenge, "code": app.Next()}).wantStatus(400, "challenge_invalid")

	login().wantStatus(401, "second_factor_required")
	cookie, err := http.ParseSetCookie(second.header.Get("Set-Cookie"))
	if err != nil || !cookie.HttpOnly || cookie.MaxAge != 30*24*60*60 {
		t.Fatalf("the cookie of the device is %v, %v", cookie, err)
	}
	login(func(r *http.Request) { r.AddCookie(cookie) }).wantStatus(200, "")
}
