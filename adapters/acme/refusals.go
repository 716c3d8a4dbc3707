package acme

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
)

// refusals logs what the authority refuses, and why. The renewal, which happens in the background,
// would fail without a word otherwise.
type refusals struct {
	next http.RoundTripper
	log  *slog.Logger
}

// problem is what an authority says about a failure: RFC 7807.
type problem struct {
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// answer is what a problem may be in: an answer itself, or the challenge that failed.
type answer struct {
	problem
	Status     string   `json:"status"`
	Error      *problem `json:"error"`
	Challenges []struct {
		Error *problem `json:"error"`
	} `json:"challenges"`
}

// maxAnswer bounds the answers that are read. A certificate is longer than any problem.
const maxAnswer = 64 << 10

// RoundTrip implements http.RoundTripper.
func (r refusals) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		r.log.Warn("the certificate authority cannot be reached", "url", req.URL.Redacted(), "error", err)
		return nil, err
	}
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	for _, p := range problems(body) {
		r.log.Warn("the certificate authority refuses", "type", p.Type, "why", p.Detail)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	return resp, nil
}

// problems returns the problems in an answer. A nonce that is too old is none: the request is repeated.
func problems(body []byte) (all []problem) {
	var a answer
	if json.Unmarshal(body, &a) != nil || a.Status == "deactivated" { // it was logged before
		return nil
	}
	found := []*problem{&a.problem, a.Error}
	for _, c := range a.Challenges {
		found = append(found, c.Error)
	}
	for _, p := range found {
		if p != nil && p.Detail != "" && !strings.HasSuffix(p.Type, ":badNonce") {
			all = append(all, *p)
		}
	}
	return all
}
