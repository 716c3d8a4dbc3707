package httpkit

import (
	"net/http"
	"time"
)

// Cookies sets, reads and clears octavo_access, octavo_refresh and octavo_notice.
type Cookies struct {
	cfg                     CookieConfig
	access, refresh, notice string
}

// NewCookies names the cookies: with the __Host- prefix when they are secure
// and bound to the host alone, so that no subdomain can plant them.
func NewCookies(cfg CookieConfig) Cookies {
	prefix := ""
	if cfg.Secure && cfg.Domain == "" {
		prefix = "__Host-"
	}
	return Cookies{cfg: cfg, access: prefix + "octavo_access", refresh: prefix + "octavo_refresh", notice: prefix + "octavo_notice"}
}

// Tokens are what a sign-in gives to a browser, and for how long.
type Tokens struct {
	Access     string
	AccessFor  time.Duration
	Refresh    string
	RefreshFor time.Duration
}

// Set gives the tokens to the browser in place of any older ones.
func (c Cookies) Set(w http.ResponseWriter, t Tokens) {
	c.write(w, c.access, t.Access, seconds(t.AccessFor))
	c.write(w, c.refresh, t.Refresh, seconds(t.RefreshFor))
}

// Clear takes the tokens back.
func (c Cookies) Clear(w http.ResponseWriter) {
	c.write(w, c.access, "", -1)
	c.write(w, c.refresh, "", -1)
}

// clearAccess takes back an access token that is dead. The refresh token may be
// alive, and stays.
func (c Cookies) clearAccess(w http.ResponseWriter) { c.write(w, c.access, "", -1) }

// Access is the access token among the request's cookies, "" if there is none.
func (c Cookies) Access(r *http.Request) string { return value(r, c.access) }

// Refresh is the refresh token among the request's cookies, "" if there is none.
func (c Cookies) Refresh(r *http.Request) string { return value(r, c.refresh) }

// noticeFor is how long a notice waits for the page that shows it.
const noticeFor = time.Minute

// SetNotice leaves the name of a notice for the next page. It travels in a cookie,
// because anybody can write an address.
func (c Cookies) SetNotice(w http.ResponseWriter, name string) {
	c.write(w, c.notice, name, seconds(noticeFor))
}

// TakeNotice is the name of the notice for this page, "" if there is none. It is
// taken back, so that the notice is shown once.
func (c Cookies) TakeNotice(w http.ResponseWriter, r *http.Request) string {
	name := value(r, c.notice)
	if name != "" {
		c.write(w, c.notice, "", -1)
	}
	return name
}

func value(r *http.Request, name string) string {
	if c, err := r.Cookie(name); err == nil {
		return c.Value
	}
	return ""
}

func (c Cookies) write(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure and SameSite are what the operator chose; Validate has checked them
		Name: name, Value: value, MaxAge: maxAge,
		Path: "/", Domain: c.cfg.Domain, // __Host- demands Path=/
		HttpOnly: true, Secure: c.cfg.Secure, SameSite: c.cfg.SameSite,
	})
}

// seconds never gives 0, which net/http would read as "no Max-Age".
func seconds(d time.Duration) int { return max(1, int(d/time.Second)) }
