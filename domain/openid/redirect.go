package openid

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxURI limits the length of a redirect URI, in bytes.
const maxURI = 2000

// checkRedirectURI returns ErrClientInvalid for a URI that an answer must not be sent to. A URI
// must be absolute and have no fragment. Its scheme is https, http on this machine or, for a
// public client, the private scheme of an app: the dot in it (RFC 8252, section 7.1) excludes
// the browser's own, such as javascript.
func checkRedirectURI(uri string, public bool) error {
	invalid := ErrClientInvalid.WithMsg("The redirect URI " + strconv.Quote(uri) + " is not an https address without a fragment. Only addresses of this machine may use http, and only public clients a private scheme such as com.example.app.")
	u, err := url.Parse(uri)
	if err != nil || len(uri) > maxURI || strings.ContainsAny(
		u.Host, ";,'!$&()*+=",
	) || strings.ContainsFunc(uri, notInURI) || u.User != nil || strings.Contains(uri, "#") {
		return invalid
	}
	switch {
	case u.Scheme == "https" && u.Hostname() != "":
		return nil
	case u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	case public && strings.Contains(u.Scheme, ".") && u.Opaque == "" && u.Host+u.Path != "":
		return nil
	}
	return invalid
}

// checkLink returns ErrClientInvalid for an address that neither a browser nor the server should open
// for a client. "" is none.
func checkLink(uri string) error {
	if uri == "" || checkRedirectURI(uri, false) == nil {
		return nil
	}
	return ErrClientInvalid.WithMsg("The address " + strconv.Quote(uri) + " is not an https address without a fragment. Only addresses of this machine may use http.")
}

// notInURI reports characters that are invalid in a URI and that programs interpret differently.
func notInURI(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\\\"<>^`{|}", r) }

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// AllowsRedirect reports whether an answer may be sent to the URI. It must be a registered one,
// character by character, except for the port of http on this machine: an app on a desktop
// cannot know which one will be free (RFC 8252, section 7.3).
func (c Client) AllowsRedirect(uri string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool { return sameURI(registered, uri) })
}

// AllowsPostLogoutRedirect is AllowsRedirect for people who have signed out.
func (c Client) AllowsPostLogoutRedirect(uri string) bool {
	return slices.ContainsFunc(c.PostLogoutRedirectURIs, func(registered string) bool { return sameURI(registered, uri) })
}

func sameURI(registered, uri string) bool {
	return uri != "" && (registered == uri || withoutPort(registered) == withoutPort(uri) && withoutPort(uri) != "")
}

// withoutPort returns a URI of http on this machine without its port, "" for any other. It
// reads the text itself rather than what a parser makes of it, so that no other spelling passes.
func withoutPort(uri string) string {
	for _, host := range []string{"http://127.0.0.1", "http://[::1]", "http://localhost"} {
		rest, ok := strings.CutPrefix(uri, host)
		if !ok {
			continue
		}
		if port, ok := strings.CutPrefix(rest, ":"); ok {
			end := strings.IndexAny(port, "/?")
			if end < 0 {
				end = len(port)
			}
			if n, err := strconv.ParseUint(port[:end], 10, 16); err != nil || n == 0 || port[0] == '0' {
				return ""
			}
			rest = port[end:]
		}
		if rest == "" || rest[0] == '/' || rest[0] == '?' {
			return host + rest
		}
	}
	return ""
}

// staysOnDevice reports whether an answer is taken by a program on the user's device: a server on
// this machine, or an app with a private scheme. Any other program there can take its place.
func staysOnDevice(uri string) bool {
	u, err := url.Parse(uri)
	return err != nil || u.Scheme != "https" || isLoopback(u.Hostname())
}

// MustAsk reports whether the user must see a page before an answer is sent to a redirect URI,
// whatever they have allowed the client before: without a secret and without an address that
// belongs to somebody, any program on the device can pose as the client (RFC 8252, section 8.6).
func (c Client) MustAsk(redirectURI string) bool { return c.Public && staysOnDevice(redirectURI) }

// Origin returns the origin of the page that a redirect URI leads to, as a browser sends it;
// "" for the URI of an app.
func Origin(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// WithState returns an address with the state that a client wants back; "" is none.
func WithState(uri, state string) string {
	if state == "" {
		return uri
	}
	return withParameters(uri, url.Values{"state": {state}})
}

// FrontchannelLogout returns the page that signs a session of the client out in the browser.
func (c Client) FrontchannelLogout(issuer, sid string) string {
	return withParameters(c.FrontchannelLogoutURI, url.Values{"iss": {issuer}, "sid": {sid}})
}

// withParameters adds an answer to a redirect URI, which may have a query of its own.
func withParameters(uri string, answer url.Values) string {
	separator := "?"
	if strings.Contains(uri, "?") {
		separator = "&"
	}
	return uri + separator + answer.Encode()
}
