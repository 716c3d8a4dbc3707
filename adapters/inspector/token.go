package inspector

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	cookieName  = "octavo_webhooks"
	sessionTime = 12 * time.Hour
)

// tokenAccess admits people who have entered the token. Its cookie is a MAC with an expiry
// time, so it does not contain the token, and every replica accepts it.
type tokenAccess struct {
	token  *httpx.OperatorToken
	key    []byte
	random io.Reader
	now    func() time.Time
}

// WithToken admits everybody who knows the token: people enter it on a page, programs send it
// as a bearer token. Changing the token ends all sessions.
func WithToken(token string, random io.Reader, now func() time.Time) Access {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("octavo webhook inspector"))
	t := &tokenAccess{token: httpx.NewOperatorToken(token, now), key: mac.Sum(nil), random: random, now: now}
	return Access{token: t, signIn: signInPath, check: t.check}
}

func (t *tokenAccess) check(_ http.ResponseWriter, r *http.Request) error {
	if kind, token, given := strings.Cut(r.Header.Get("Authorization"), " "); given && strings.EqualFold(kind, "Bearer") {
		return t.verify(r, strings.TrimSpace(token))
	}
	cookie, err := r.Cookie(cookieName)
	if err != nil || !t.valid(cookie.Value) {
		return user.ErrUnauthenticated
	}
	return nil
}

func (t *tokenAccess) verify(r *http.Request, token string) error {
	return t.token.Verify(httpx.ClientInfo(r.Context()).IP, token)
}

// session returns the value of a new cookie: expiry time, random text, MAC.
func (t *tokenAccess) session() (string, error) {
	var random [16]byte
	if _, err := io.ReadFull(t.random, random[:]); err != nil {
		return "", err
	}
	text := strconv.FormatInt(t.now().Add(sessionTime).Unix(), 10) + "." + base64.RawURLEncoding.EncodeToString(random[:])
	return text + "." + t.sign(text), nil
}

// sign returns a MAC of a text in base64.
func (t *tokenAccess) sign(text string) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (t *tokenAccess) valid(value string) bool {
	at := strings.LastIndexByte(value, '.')
	if at < 0 || !hmac.Equal([]byte(value[at+1:]), []byte(t.sign(value[:at]))) {
		return false
	}
	expiry, _, _ := strings.Cut(value, ".")
	until, err := strconv.ParseInt(expiry, 10, 64)
	return err == nil && t.now().Before(time.Unix(until, 0))
}

func (p *Pages) setCookie(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure is the operator's choice: plain http in development
		Name: cookieName, Value: value, MaxAge: maxAge, Path: Base, HttpOnly: true, Secure: p.Secure, SameSite: http.SameSiteStrictMode,
	})
}

type signInView struct{ Next, Error string }

// showSignIn serves GET /webhooks/sign-in. It redirects viewers who are signed in.
func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request) {
	next := ownPath(r.URL.Query().Get("next"))
	if err := p.Access.check(w, r); err == nil {
		http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // ownPath has checked that it is one of our own pages
		return
	}
	p.render(w, r, http.StatusOK, "signin", "Sign in", viewer{}, signInView{Next: next})
}

// signIn serves POST /webhooks/sign-in.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request) {
	err := parseForm(w, r)
	if err != nil {
		p.WriteError(w, r, err)
		return
	}
	next, session := ownPath(r.PostForm.Get("next")), ""
	if err = p.Access.token.verify(r, r.PostForm.Get("token")); err == nil {
		session, err = p.Access.token.session()
	}
	if err != nil {
		httpx.SetRetryAfter(w.Header(), err)
		p.render(w, r, httpx.Status(err), "signin", "Sign in", viewer{}, signInView{next, httpx.PublicMessage(err)})
		return
	}
	p.setCookie(w, session, int(sessionTime/time.Second))
	http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // ownPath has checked that it is one of our own pages
}

// signOut serves POST /webhooks/sign-out.
func (p *Pages) signOut(w http.ResponseWriter, r *http.Request, _ viewer) error {
	p.setCookie(w, "", -1)
	http.Redirect(w, r, signInPath, http.StatusSeeOther)
	return nil
}
