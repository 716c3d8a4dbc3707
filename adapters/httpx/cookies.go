package httpx

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Cookies sets, reads and clears octavo_access, octavo_refresh, octavo_device, octavo_notice and
// octavo_lang, and those of Kept: octavo_challenge, octavo_elsewhere, octavo_remote,
// octavo_code, octavo_request and octavo_signup.
type Cookies struct {
	cfg                                CookieConfig
	access, refresh, device, challenge string
	externalSignIn, mailedCode         string
	request, flash, remoteSession      string
	signUp                             string
}

// NewCookies returns Cookies for cfg. Names get the __Host- prefix if cookies are
// secure and without a domain, so that no subdomain can set them.
func NewCookies(cfg CookieConfig) Cookies {
	prefix := ""
	if cfg.Secure && cfg.Domain == "" {
		prefix = "__Host-"
	}
	return Cookies{
		cfg: cfg, access: prefix + "octavo_access", refresh: prefix + "octavo_refresh", device: prefix + "octavo_device",
		challenge: prefix + "octavo_challenge", externalSignIn: prefix + "octavo_elsewhere", mailedCode: prefix + "octavo_code",
		request: prefix + "octavo_request", flash: prefix + "octavo_notice", remoteSession: prefix + "octavo_remote",
		signUp: prefix + "octavo_signup",
	}
}

// Tokens are the tokens of a sign-in and their lifetimes.
type Tokens struct {
	Access     string
	AccessFor  time.Duration
	Refresh    string
	RefreshFor time.Duration
	Device     string // recognises the browser at the next sign-in; "": leave the cookie as it is
	DeviceFor  time.Duration
}

// SetTokens sets both token cookies and so replaces older ones.
func (c Cookies) SetTokens(w http.ResponseWriter, t Tokens) {
	c.SetDevice(w, t.Device, t.DeviceFor)
	c.write(w, c.access, t.Access, seconds(t.AccessFor))
	c.write(w, c.refresh, t.Refresh, seconds(t.RefreshFor))
}

// ClearTokens removes both token cookies.
func (c Cookies) ClearTokens(w http.ResponseWriter) {
	c.write(w, c.access, "", -1)
	c.write(w, c.refresh, "", -1)
}

// clearAccessToken removes a dead access token. The refresh token may still be
// valid, so its cookie remains.
func (c Cookies) clearAccessToken(w http.ResponseWriter) { c.write(w, c.access, "", -1) }

// AccessToken returns the access token in the request's cookies, "" if there is none.
func (c Cookies) AccessToken(r *http.Request) string { return value(r, c.access) }

// RefreshToken returns the refresh token in the request's cookies, "" if there is none.
func (c Cookies) RefreshToken(r *http.Request) string { return value(r, c.refresh) }

// SetDevice stores what recognises the browser; "" leaves the cookie as it is.
func (c Cookies) SetDevice(w http.ResponseWriter, value string, d time.Duration) {
	if value != "" {
		c.write(w, c.device, value, seconds(d))
	}
}

// Device returns what recognises the browser, "" if there is nothing. ClearTokens keeps it,
// because a user who signs out still uses the same device.
func (c Cookies) Device(r *http.Request) string { return value(r, c.device) }

// Strict reports whether browsers withhold the cookies while they follow links and redirects
// from another site.
func (c Cookies) Strict() bool { return c.cfg.SameSite == http.SameSiteStrictMode }

// langCookie has no prefix: it is no secret, and a forged one changes the language of a page.
const (
	langCookie = "octavo_lang"
	langFor    = 365 * 24 * time.Hour
)

// SetLang stores the language that the reader chose, for a year.
func (c Cookies) SetLang(w http.ResponseWriter, lang string) {
	c.write(w, langCookie, lang, seconds(langFor))
}

// seenCookie has no prefix for the same reason: it is the ids of books.
const (
	seenCookie = "octavo_seen"
	seenFor    = 30 * 24 * time.Hour
)

// SetSeen stores the ids of books that the reader has looked at, for a month.
func (c Cookies) SetSeen(w http.ResponseWriter, ids []string) {
	c.write(w, seenCookie, strings.Join(ids, "."), seconds(seenFor))
}

// Seen returns what SetSeen stored.
func (c Cookies) Seen(r *http.Request) []string {
	if ids := value(r, seenCookie); ids != "" {
		return strings.Split(ids, ".")
	}
	return nil
}

// setupCookie has no prefix for the same reason: it names what an owner has put off.
const (
	setupCookie = "octavo_setup"
	setupFor    = 365 * 24 * time.Hour
)

// SetPutOff stores what of the setup the reader does not want to be reminded of, for a year.
func (c Cookies) SetPutOff(w http.ResponseWriter, names []string) {
	c.write(w, setupCookie, strings.Join(names, "."), seconds(setupFor))
}

// PutOff returns what SetPutOff stored.
func (c Cookies) PutOff(r *http.Request) []string { return strings.Split(value(r, setupCookie), ".") }

// Lang returns the language that the reader chose, "" if none was chosen.
func Lang(r *http.Request) string { return value(r, langCookie) }

const (
	flashFor = time.Minute
	flashAt  = "@" // between the name of a message and the path of its page
)

// Follows is the header of requests for a page of which a script shows a part only. Scripts that send
// a form show all of the page that follows.
const Follows = "Octavo-Follows"

// SetFlash stores the name of a flash message for the page at path, for one minute.
// It is a cookie rather than a query parameter because anybody can forge a link.
func (c Cookies) SetFlash(w http.ResponseWriter, path, name string) {
	c.write(w, c.flash, name+flashAt+url.PathEscape(path), seconds(flashFor))
}

// TakeFlash returns the name of the flash message for this page, "" if there is none, and
// removes its cookie so that the message is shown once. Requests of other tabs, of the
// browser's preloading and of scripts that follow a page (see Follows) leave the cookie alone.
func (c Cookies) TakeFlash(w http.ResponseWriter, r *http.Request) string {
	name, path, _ := strings.Cut(value(r, c.flash), flashAt)
	shown := r.Method == http.MethodGet && r.Header.Get("Sec-Purpose") == "" && r.Header.Get(Follows) == ""
	if name == "" || path != url.PathEscape(r.URL.Path) || !shown {
		return ""
	}
	c.write(w, c.flash, "", -1)
	return name
}

func value(r *http.Request, name string) string {
	if c, err := r.Cookie(name); err == nil {
		return c.Value
	}
	return ""
}

func (c Cookies) write(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure and SameSite are the operator's choice; Validate has checked them
		Name: name, Value: value, MaxAge: maxAge,
		Path: "/", Domain: c.cfg.Domain, // __Host- requires Path=/
		HttpOnly: true, Secure: c.cfg.Secure, SameSite: c.cfg.SameSite,
	})
}

// seconds returns at least 1, because net/http reads 0 as "no Max-Age".
func seconds(d time.Duration) int { return max(1, int(d/time.Second)) }
