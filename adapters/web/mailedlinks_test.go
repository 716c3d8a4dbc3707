package web_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

func TestOpeningAnInvitationDoesNotAcceptIt(t *testing.T) {
	s := example()
	h := handler(t, s)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if w := send(h, method, "/invitation?token=t", ""); w.Code != http.StatusOK || s.asked != "" {
			t.Errorf("%s: %d, asked %q", method, w.Code, s.asked)
		}
	}
}

func TestAnAcceptedInvitationSignsIn(t *testing.T) {
	s := example()
	h := handler(t, s)
	w := send(h, "POST", "/invitation", "token=t0ken&password=correct+horse")
	if w.Code != http.StatusOK || s.asked != "accept t0ken" || s.password == nil || *s.password != "correct horse" {
		t.Errorf("%d, asked %q", w.Code, s.asked)
	}
	if cookies := w.Result().Cookies(); len(cookies) != 2 || cookies[0].Value != "acc3ss" || !cookies[0].HttpOnly || strings.Contains(w.Body.String(), "acc3ss") {
		t.Errorf("cookies = %v", cookies)
	}
	if send(h, "POST", "/invitation", "token=t0ken&password="); s.password != nil {
		t.Error("an empty field became a password")
	}
}

func TestErrorsOfAnInvitationAreShown(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		says   string
	}{
		"used":         {challenge.ErrCodeInvalid, http.StatusNotFound, "replaced by a newer one"},
		"bad password": {user.ErrPasswordInvalid, http.StatusBadRequest, "cannot be used"},
		"busy":         {fault.New(fault.Unavailable, "unavailable", "Busy.").After(time.Second), http.StatusServiceUnavailable, "Busy."},
		"broken":       {errors.New("hunter2"), http.StatusInternalServerError, "Please try again"},
	} {
		s := example()
		s.err = c.err
		w := send(handler(t, s), "POST", "/invitation", "token=t0ken&password=s3cretpassword")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "hunter2") || strings.Contains(w.Body.String(), "s3cret") || len(w.Result().Cookies()) != 0 {
			t.Errorf("%s: the page reveals the cause or the password: %s", name, w.Body)
		}
		if c.status != http.StatusNotFound && !strings.Contains(w.Body.String(), `value="t0ken"`) {
			t.Errorf("%s: the page has no form to try again: %s", name, w.Body)
		}
	}
}

func TestASignInIsApprovedByTheButtonOnly(t *testing.T) {
	s := example()
	h := handler(t, s)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if w := send(h, method, "/approve?token=g00d", ""); w.Code != http.StatusOK || s.asked != "" {
			t.Errorf("%s: %d, asked %q", method, w.Code, s.asked)
		}
	}
	if w := get(h, "/approve?token=g00d"); !strings.Contains(w.Body.String(), "192.0.2.7") {
		t.Errorf("the page does not name the client: %s", w.Body)
	}
	if w := send(h, "POST", "/approve", "token=g00d", "Origin", "https://evil.example"); w.Code != http.StatusForbidden || s.asked != "" {
		t.Errorf("from another site: %d, asked %q", w.Code, s.asked)
	}
	if w := send(h, "POST", "/approve", "token=g00d"); w.Code != http.StatusOK || s.asked != "approve g00d" || !strings.Contains(w.Body.String(), "sign in again") || len(w.Result().Cookies()) != 0 {
		t.Errorf("the button: %d, asked %q, %s", w.Code, s.asked, w.Body)
	}
	for _, w := range []*httptest.ResponseRecorder{get(h, "/approve"), get(h, "/approve?token=bad"), send(h, "POST", "/approve", "token=bad")} {
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "This link is not valid") {
			t.Errorf("a bad link: %d, %s", w.Code, w.Body)
		}
	}
	s.err = errors.New("hunter2")
	if w := send(h, "POST", "/approve", "token=g00d"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("broken: %d, %s", w.Code, w.Body)
	}
}

func TestAnotherSiteCannotAcceptAnInvitationForAVisitor(t *testing.T) {
	s := example()
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		if w := send(handler(t, s), "POST", "/invitation", "token=t", header...); w.Code != http.StatusForbidden || s.asked != "" {
			t.Errorf("%v: %d, asked %q", header, w.Code, s.asked)
		}
	}
}

func TestUnsubscribingNeedsTheButtonOrAMailClient(t *testing.T) {
	s := example()
	h := handler(t, s)
	if w := get(h, "/unsubscribe?token=g00d"); w.Code != http.StatusOK || s.asked != "" {
		t.Errorf("opening it: %d, asked %q", w.Code, s.asked)
	}
	if w := send(h, "POST", "/unsubscribe", "token=g00d"); w.Code != http.StatusOK || s.asked != "unsubscribe g00d" {
		t.Errorf("the button: %d, asked %q", w.Code, s.asked)
	}
	if w := get(h, "/unsubscribe?token=s3arch"); !strings.Contains(w.Body.String(), "this saved search") {
		t.Errorf("the link of a search: %s", w.Body)
	}
	if w := send(h, "POST", "/unsubscribe", "token=s3arch"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "this saved search") {
		t.Errorf("stopping a search: %d %s", w.Code, w.Body)
	}
	s.asked = ""
	if w := send(h, "POST", "/unsubscribe?token=g00d", "List-Unsubscribe=One-Click"); w.Code != http.StatusOK || s.asked != "unsubscribe g00d" {
		t.Errorf("the mail client: %d, asked %q", w.Code, s.asked)
	}
	for _, w := range []*httptest.ResponseRecorder{get(h, "/unsubscribe"), get(h, "/unsubscribe?token=bad"), send(h, "POST", "/unsubscribe", "token=bad")} {
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "incomplete") {
			t.Errorf("a bad link: %d %s", w.Code, w.Body)
		}
	}
	s.err = errors.New("disk full")
	if w := send(h, "POST", "/unsubscribe", "token=g00d"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("trouble: %d %s", w.Code, w.Body)
	}
}
