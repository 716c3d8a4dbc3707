package openidprofile

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// tokens are what a client got for a code.
type tokens struct {
	access, refresh, id string
	claims              map[string]any
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// post sends a form to the token endpoint as an authenticated client.
func (r *run) post(c Client, form url.Values) (int, map[string]any) {
	req, err := http.NewRequest(http.MethodPost, r.endpoint("token_endpoint"), strings.NewReader(form.Encode()))
	r.check(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if !form.Has("client_secret") {
		req.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
	}
	return r.sendForJSON(req)
}

// exchange returns the form that redeems a code.
func exchange(c Client, answer url.Values, change ...string) url.Values {
	return with(url.Values{"grant_type": {"authorization_code"}, "code": {answer.Get("code")}, "redirect_uri": {c.RedirectURI}}, change)
}

// redeem redeems the code of an answer to a request with these changes.
func (r *run) redeem(c Client, answer url.Values, change ...string) tokens {
	r.must(answer.Get("code") != "", "the answer is %v", answer)
	status, body := r.post(c, exchange(c, answer))
	return r.issued(c, status, body, r.parameters(c, change).Get("nonce"))
}

// issued verifies an answer of the token endpoint.
func (r *run) issued(c Client, status int, body map[string]any, nonce string) tokens {
	kind, _ := body["token_type"].(string)
	r.must(status == http.StatusOK && strings.EqualFold(kind, "Bearer"), "the token endpoint answers %d %v", status, body)
	t := tokens{}
	t.access, _ = body["access_token"].(string)
	t.refresh, _ = body["refresh_token"].(string)
	t.id, _ = body["id_token"].(string)
	r.must(t.access != "" && t.id != "", "a token is missing")
	t.claims = r.verify(c, t.id)
	got, _ := t.claims["nonce"].(string)
	r.must(got == nonce, "the nonce of the ID token is %q", got)
	sum := sha256.Sum256([]byte(t.access))
	hash := t.claims["at_hash"]
	r.must(hash == nil || hash == base64.RawURLEncoding.EncodeToString(sum[:16]), "at_hash is %v", hash)
	return t
}

// verify verifies the signature of a token of the provider for a client, and returns its claims.
func (r *run) verify(c Client, token string) (claims map[string]any) {
	r.check(json.Unmarshal(r.payload(token), &claims))
	audience, _ := claims["aud"].(string)
	if all, ok := claims["aud"].([]any); ok && len(all) == 1 {
		audience, _ = all[0].(string)
	}
	issued, _ := claims["iat"].(float64)
	expires, _ := claims["exp"].(float64)
	subject, _ := claims["sub"].(string)
	now := float64(time.Now().Unix())
	r.must(claims["iss"] == r.Issuer && audience == c.ID && subject != "" && len(subject) <= 255, "the claims are %v", claims)
	r.must(issued > now-300 && issued < now+10 && expires > now, "the times of %v", claims)
	return claims
}

// payload returns what a token says whose signature by RS256 is one of the published keys.
func (r *run) payload(token string) []byte {
	var set jose.JSONWebKeySet
	r.check(json.Unmarshal(r.keys, &set))
	parsed, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	r.check(err)
	id := parsed.Signatures[0].Header.KeyID
	at := slices.IndexFunc(set.Keys, func(k jose.JSONWebKey) bool { return k.KeyID == id })
	r.must(id != "" && at >= 0, "the key %q is not published", id)
	payload, err := parsed.Verify(set.Keys[at])
	r.check(err)
	return payload
}

// userInfo returns the claims that an access token gives access to.
func (r *run) userInfo(t tokens) map[string]any {
	req, err := http.NewRequest(http.MethodGet, r.endpoint("userinfo_endpoint"), nil)
	r.check(err)
	req.Header.Set("Authorization", "Bearer "+t.access)
	return r.about(t, req)
}

// about sends a request to the userinfo endpoint.
func (r *run) about(t tokens, req *http.Request) map[string]any {
	status, body := r.sendForJSON(req)
	r.must(status == http.StatusOK && body["sub"] == t.claims["sub"], "userinfo is %d %v", status, body)
	return body
}
