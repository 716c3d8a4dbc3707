package openidprofile

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Result is how a module ended, in the suite's words.
type Result string

// The results.
const (
	Passed  Result = "passed"
	Warning Result = "warning" // does not hinder a certification
	Skipped Result = "skipped" // is about something that the provider need not have and says it has not
	Failed  Result = "failed"
)

// Outcome is a result with its reason; a module that passed has none.
type Outcome struct {
	Result
	Why string
}

// Module is a module of the suite.
type Module struct {
	Profile, Name string
	do            func(*run)
}

// The profiles.
const (
	Basic        = "Basic"
	Config       = "Config"
	RPLogout     = "RP-initiated logout"
	BackChannel  = "Back-channel logout"
	FrontChannel = "Front-channel logout"
)

// Modules returns all modules.
func Modules() []Module {
	return slices.Concat(responses(), requests(), scopes(), codes(), config(), logouts(), channels())
}

// Run runs the module against a provider.
func (m Module) Run(p Provider) (outcome Outcome) {
	defer func() {
		if ended := recover(); ended != nil {
			of, ok := ended.(Outcome)
			if !ok {
				panic(ended)
			}
			outcome = of
		}
	}()
	r := &run{Provider: p, http: &http.Client{Timeout: time.Minute}}
	r.discover()
	m.do(r)
	return Outcome{Passed, ""}
}

// run is a run of a module. It ends with a panic that has the outcome, so that a module reads as what
// it wants.
type run struct {
	Provider
	http      *http.Client
	discovery map[string]any
	keys      []byte // the key set
}

func (r *run) must(ok bool, format string, args ...any) {
	if !ok {
		panic(Outcome{Failed, fmt.Sprintf(format, args...)})
	}
}

func (r *run) check(err error) {
	r.must(err == nil, "%v", err)
}

// should ends the module with a warning.
func (r *run) should(ok bool, format string, args ...any) {
	if !ok {
		panic(Outcome{Warning, fmt.Sprintf(format, args...)})
	}
}

// needs ends the module because the provider does not have what it is about.
func (r *run) needs(ok bool, what string) {
	if !ok {
		panic(Outcome{Skipped, "the provider has no " + what})
	}
}

func (r *run) discover() {
	status, content, header := r.get(r.Issuer+"/.well-known/openid-configuration", "")
	r.must(status == http.StatusOK && isJSON(header), "the discovery document: %d %v", status, header)
	r.check(json.Unmarshal(content, &r.discovery))
	_, r.keys, _ = r.get(r.endpoint("jwks_uri"), "")
}

// endpoint returns an address of the discovery document.
func (r *run) endpoint(name string) string {
	address, _ := r.discovery[name].(string)
	r.must(address != "", "the discovery document has no %s", name)
	return address
}

// says reports whether a list of the discovery document has a value.
func (r *run) says(list, value string) bool {
	all, _ := r.discovery[list].([]any)
	return slices.Contains(all, any(value))
}

// get sends a GET, with a bearer token if there is one.
func (r *run) get(address, token string) (int, []byte, http.Header) {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	r.check(err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return r.send(req)
}

func (r *run) send(req *http.Request) (int, []byte, http.Header) {
	resp, err := r.http.Do(req)
	r.check(err)
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	r.check(err)
	return resp.StatusCode, content, resp.Header
}

// sendForJSON is send for an answer that is a JSON object.
func (r *run) sendForJSON(req *http.Request) (int, map[string]any) {
	status, content, header := r.send(req)
	var body map[string]any
	err := json.Unmarshal(content, &body)
	r.must(err == nil && isJSON(header), "%s answers %d %s, not JSON: %v", req.URL.Path, status, content, err)
	return status, body
}

// with changes parameters, which are names and values; an empty value takes one away.
func with(q url.Values, change []string) url.Values {
	for i := 0; i < len(change); i += 2 {
		if q.Set(change[i], change[i+1]); change[i+1] == "" {
			q.Del(change[i])
		}
	}
	return q
}

// nonce has characters that are easily spoilt.
const nonce = "n&nce +%"

// request returns the address of an authorization request.
func (r *run) request(c Client, change ...string) string {
	return r.endpoint("authorization_endpoint") + "?" + r.parameters(c, change).Encode()
}

func (r *run) parameters(c Client, change []string) url.Values {
	return with(url.Values{
		"client_id": {c.ID}, "redirect_uri": {c.RedirectURI}, "response_type": {"code"}, "scope": {"openid"}, "state": {state}, "nonce": {nonce},
	}, change)
}
