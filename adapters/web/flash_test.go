package web_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/authkit"
)

func TestALinkCannotForgeAFlashMessage(t *testing.T) {
	c := newCampus(t)
	v := c.visitor()
	for _, name := range []string{"password", "reset", "goodbye", "bought", "paid"} {
		v.open("/login?said="+name+"&notice="+name).shows(200, "Sign in").lacks(`role="status"`)
		v.open("/?said=" + name).shows(200).lacks(`role="status"`)
	}
	v.cookies["octavo_notice"] = "<script>"
	v.open("/").shows(200).lacks(`role="status"`, "<script>")
}

func TestAFlashMessageIsShownOnce(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	said := ada.send("/account/password", "password", authkit.Password, "newPassword", "another long password").shows(200, "Your password was changed.")
	if said.at != "/account" || said.header.Get("Cache-Control") != "no-store" {
		t.Errorf("shown at %s, which is cacheable: %v", said.at, said.header)
	}
	ada.open("/account").shows(200).lacks("Your password was changed.")
	gone := ada.send("/logout").shows(200, "You are signed out.")
	if gone.header.Get("Cache-Control") != "no-store" {
		t.Error("a shared cache would show it to others")
	}
	maps.DeleteFunc(ada.cookies, func(name, _ string) bool { return strings.HasPrefix(name, "octavo_signup_") })
	if len(ada.cookies) != 0 {
		t.Errorf("cookies remain: %v", ada.cookies)
	}
}

func TestAFlashMessageIsShownOnItsPageOnly(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	form := url.Values{"password": {authkit.Password}, "newPassword": {"another long password"}}
	posted := ada.exchange(http.MethodPost, "/account/password", form)
	if to := posted.Header().Get("Location"); posted.Code != http.StatusSeeOther || to != "/account" {
		t.Fatalf("%d to %q", posted.Code, to)
	}
	ada.open("/cart").shows(200).lacks("Your password was changed.") // another tab
	ada.open("/nowhere").shows(404).lacks("Your password was changed.")
	for name, value := range map[string]string{"Sec-Purpose": "prefetch", "Octavo-Follows": "1"} { // a script that shows a part of the page
		ada.request(http.MethodGet, "/account", nil, name, value).shows(200).lacks("Your password was changed.")
	}
	ada.open("/account").shows(200, "Your password was changed.")
	ada.open("/account").shows(200).lacks("Your password was changed.")
}

func TestNoScriptCanReadAFlashMessage(t *testing.T) {
	c := newCampus(t)
	r := httptest.NewRequest(http.MethodPost, "/logout", nil)
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	i := slices.IndexFunc(cookies, func(c *http.Cookie) bool { return c.Name == "octavo_notice" })
	if i < 0 || !cookies[i].HttpOnly || cookies[i].SameSite != http.SameSiteLaxMode || cookies[i].MaxAge != 60 || cookies[i].Path != "/" {
		t.Errorf("cookies = %v", cookies)
	}
}
