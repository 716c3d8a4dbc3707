package openid

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// The scopes.
const (
	ScopeOpenID  = "openid"
	ScopeEmail   = "email"
	ScopeProfile = "profile"
	ScopeOffline = "offline_access"
	ScopeRoles   = "roles"
	ScopeGroups  = "groups"
)

// Scopes returns all scopes.
func Scopes() []string {
	return []string{ScopeOpenID, ScopeEmail, ScopeProfile, ScopeOffline, ScopeRoles, ScopeGroups}
}

// HasScope reports whether a list of scopes contains one.
func HasScope(scopes, one string) bool { return slices.Contains(strings.Fields(scopes), one) }

// Narrow returns the scopes that a refreshed token has: those that were asked for, or all that were
// granted. The error is ErrScopeExceeded.
func Narrow(granted, asked string) (string, error) {
	if asked == "" {
		return granted, nil
	}
	wanted, has := strings.Fields(asked), strings.Fields(granted)
	for _, one := range wanted {
		if !slices.ContainsFunc(has, func(s string) bool { return named(s, one) }) {
			return "", ErrScopeExceeded
		}
	}
	return strings.Join(slices.DeleteFunc(has, func(s string) bool {
		if strings.HasSuffix(s, "/") || isSingleClaim(s) && slices.Contains(wanted, ScopeOpenID) {
			return false
		}
		return !slices.ContainsFunc(wanted, func(one string) bool { return named(s, one) })
	}), " "), nil
}

// ordered returns the known scopes of a list, each once, and its permissions and single claims after them.
func ordered(all []string) (known []string) {
	for _, s := range Scopes() {
		if slices.Contains(all, s) {
			known = append(known, s)
		}
	}
	for _, s := range all {
		if (strings.Contains(s, "/") || isSingleClaim(s)) && !slices.Contains(known, s) {
			known = append(known, s)
		}
	}
	return known
}

// maxParameters limits the length of an authorization request's values together, in bytes.
const maxParameters = 8 << 10

// Request is an authorization request that may be answered at RedirectURI.
type Request struct {
	Client, RedirectURI, State, Nonce string
	Scopes                            string // known ones, single claims and permissions at resources, separated by spaces
	Challenge                         string // of PKCE, by S256; "" if the client sent none and need not
	Silent                            bool   // prompt=none: the user must not see a page
	Consent                           bool   // prompt=consent: ask again
	// SignedInSince is the earliest sign-in that counts; zero: any.
	SignedInSince time.Time
	// Login and MaxAge are what another service is asked for if it signs the user in; MaxAge is "" or
	// a number of seconds.
	Login  bool
	MaxAge string
	// ACRValues are the levels of sign-ins of which the client wants one, as it has sent them.
	ACRValues string
	// Hint is an ID token of the user who is expected; "" without one. Expected is that user, once it was
	// verified, or the one whom the parameter claims names; 0 if anybody is.
	Hint     string
	Expected user.ID
	// LoginHint is the address with which the user will probably sign in; "" if the client knows none.
	LoginHint string
	Lang      user.Lang // of the pages; "" if the client wants none or none that there is
	AskedAt   time.Time

	targets, asked []string // until Ask has added them to Scopes
}

// ParseRequest reads the parameters of an authorization request at now. If sendable is false,
// nothing may be sent to the redirect URI and the user must see the error. Otherwise the error
// is for the client, and r has what AnswerError needs.
func ParseRequest(c Client, p url.Values, now time.Time) (r Request, sendable bool, err error) {
	if len(p["redirect_uri"]) != 1 || !c.AllowsRedirect(p.Get("redirect_uri")) {
		return Request{}, false, ErrRedirectURI
	}
	r = Request{Client: c.ID, RedirectURI: p.Get("redirect_uri"), Nonce: p.Get("nonce"), Hint: p.Get("id_token_hint"), AskedAt: now}
	r.ACRValues = p.Get("acr_values")
	if len(p["state"]) == 1 {
		r.State = p.Get("state")
	}
	size := 0
	for name, values := range p {
		if len(values) != 1 && name != "resource" {
			return r, true, ErrInvalidRequest.WithMsg("A parameter occurs twice.")
		}
		value := strings.Join(values, "")
		if !text.Storable(value) {
			r.State = ""
			return r, true, ErrInvalidRequest.WithMsg("A parameter is not UTF-8.")
		}
		size += len(name) + len(value)
	}
	if size > maxParameters {
		r.State = ""
		return r, true, ErrInvalidRequest.WithMsg("The parameters are longer than 8 KB.")
	}
	return r, true, r.parse(c, p, now)
}

func (r *Request) parse(c Client, p url.Values, now time.Time) error {
	for name, refusal := range map[string]*fault.Error{
		"request": ErrRequestNotSupported, "request_uri": ErrRequestURINotSupported, "registration": ErrRegistrationUnsupported,
	} {
		if p.Has(name) {
			return refusal
		}
	}
	switch {
	case p.Get("response_type") == "":
		return ErrInvalidRequest.WithMsg("The parameter response_type is missing.")
	case p.Get("response_type") != "code":
		return ErrUnsupportedResponseType
	case p.Has("response_mode") && p.Get("response_mode") != "query":
		return ErrInvalidRequest.WithMsg("The response mode must be query.")
	case !HasScope(p.Get("scope"), ScopeOpenID):
		return ErrInvalidScope
	}
	if err := r.parseChallenge(c, p); err != nil {
		return err
	}
	r.LoginHint, r.Lang = parseLoginHint(p.Get("login_hint")), parseLocales(p.Get("ui_locales"))
	r.asked, r.targets = strings.Fields(p.Get("scope")), p["resource"]
	if len(r.targets) > maxTargets || slices.Contains(r.targets, "") {
		return ErrInvalidTarget
	}
	r.Scopes = OwnScopes(strings.Join(ordered(r.asked), " "))
	if err := r.parseMaxAge(p, now); err != nil {
		return err
	}
	if err := r.parsePrompt(strings.Fields(p.Get("prompt")), now); err != nil {
		return err
	}
	return r.parseClaims(p.Get("claims"))
}

// parseLoginHint ignores what cannot be an address: a hint may be anything that the client knows.
func parseLoginHint(hint string) string {
	email, err := user.ParseEmail(hint)
	if err != nil {
		return ""
	}
	return string(email)
}

// parseLocales returns the first language of a list of BCP 47 tags that there are pages in.
func parseLocales(tags string) user.Lang {
	for tag := range strings.FieldsSeq(tags) {
		base, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if lang := user.Lang(base); lang == user.EN || lang == user.FR {
			return lang
		}
	}
	return ""
}

// parseChallenge also refuses half a challenge of a client that needs none.
func (r *Request) parseChallenge(c Client, p url.Values) error {
	r.Challenge = p.Get("code_challenge")
	switch {
	case r.Challenge == "" && p.Get("code_challenge_method") == "" && !c.DemandsPKCE():
		return nil
	case r.Challenge == "":
		return ErrInvalidRequest.WithMsg("PKCE is required: code_challenge is missing.")
	case p.Get("code_challenge_method") != "S256" || !isSHA256(r.Challenge):
		return ErrInvalidRequest.WithMsg("PKCE is required with the method S256.")
	}
	return nil
}

func (r *Request) parseMaxAge(p url.Values, now time.Time) error {
	if !p.Has("max_age") {
		return nil
	}
	seconds, err := strconv.ParseUint(p.Get("max_age"), 10, 31)
	if err != nil {
		return ErrInvalidRequest.WithMsg("max_age must be a number of seconds.")
	}
	r.SignedInSince, r.MaxAge = now.Add(-time.Duration(seconds)*time.Second), strconv.FormatUint(seconds, 10)
	return nil
}

func (r *Request) parsePrompt(all []string, now time.Time) error {
	for _, prompt := range all {
		switch prompt {
		case "none":
			r.Silent = true
		case "login", "select_account": // whoever signs in again chooses the account
			r.SignedInSince, r.Login = now, true
		case "consent":
			r.Consent = true
		default:
			return ErrInvalidRequest.WithMsg("prompt must be none, login, consent or select_account.")
		}
	}
	if r.Silent && len(all) > 1 {
		return ErrInvalidRequest.WithMsg("prompt=none excludes other prompts.")
	}
	return nil
}

// AnswerCode returns where to send the user with a code. issuer tells the client who answers,
// so that it cannot mix up providers (RFC 9207).
func (r Request) AnswerCode(issuer, code string) string {
	return r.answer(issuer, url.Values{"code": {code}})
}

// AnswerError is AnswerCode for a refusal.
func (r Request) AnswerError(issuer string, refusal *fault.Error) string {
	return r.answer(issuer, url.Values{"error": {refusal.Code}, "error_description": {refusal.Msg}})
}

func (r Request) answer(issuer string, answer url.Values) string {
	answer.Set("iss", issuer)
	if r.State != "" {
		answer.Set("state", r.State)
	}
	return withParameters(r.RedirectURI, answer)
}

// isSHA256 reports whether s is a hash in base64url without padding.
func isSHA256(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == sha256.Size && len(s) == base64.RawURLEncoding.EncodedLen(sha256.Size)
}

// VerifierMatches reports whether the verifier of PKCE belongs to a challenge (RFC 7636). To none
// belongs none: a verifier then says that somebody took the challenge away (RFC 9700, section 2.1.1).
func VerifierMatches(challenge, verifier string) bool {
	if challenge == "" {
		return verifier == ""
	}
	if len(verifier) < 43 || len(verifier) > 128 {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}
