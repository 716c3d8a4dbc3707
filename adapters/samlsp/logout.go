package samlsp

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/crewjam/saml"

	"github.com/octavo-books/octavo/domain/identity"
)

// remoteSession is what a service calls a session that it has begun for us.
type remoteSession struct {
	Service string      `json:"service"`
	Name    saml.NameID `json:"name"`
	Index   string      `json:"index"`
}

// maxSession bounds what a browser keeps of a session, in bytes.
const maxSession = 1500

// sessionOf returns the session of an assertion as a text for LogoutURL; "" if the service does not end
// sessions, or says too much of it.
func (s *service) sessionOf(a *saml.Assertion) string {
	if s.GetSLOBindingLocation(saml.HTTPRedirectBinding) == "" || a.Subject.NameID == nil {
		return ""
	}
	own := remoteSession{Service: s.id, Name: *a.Subject.NameID}
	for _, statement := range a.AuthnStatements {
		if own.Index == "" {
			own.Index = statement.SessionIndex
		}
	}
	text, err := json.Marshal(own)
	if err != nil || len(text) > maxSession {
		return ""
	}
	return string(text)
}

// sidOf names a session of a service as the store does: for a service that ends it without its browser,
// from a hidden frame. It is a digest, because NameID and index together may be long.
func sidOf(service, name, index string) string {
	if index == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(service + "\x00" + name + "\x00" + index))
	return hex.EncodeToString(sum[:20])
}

// sid is what a session of an assertion is called in the store; "" if nothing tells it from others.
func (s *service) sid(a *saml.Assertion) string {
	for _, statement := range a.AuthnStatements {
		if statement.SessionIndex != "" && a.Subject.NameID != nil {
			return sidOf(s.id, a.Subject.NameID.Value, statement.SessionIndex)
		}
	}
	return ""
}

// LogoutURL returns where a browser goes to end the session of a sign-in at its service.
func (c *Client) LogoutURL(ctx context.Context, name, of string) (string, error) {
	p, err := c.provider(name)
	if err != nil {
		return "", err
	}
	var own remoteSession
	if err := json.Unmarshal([]byte(of), &own); err != nil {
		return "", because(identity.ErrAnswerInvalid, err)
	}
	s, err := p.find(ctx, own.Service)
	if err != nil {
		return "", err
	}
	exact := func(r *saml.LogoutRequest) { r.NameID = &own.Name }
	to, err := s.MakeRedirectLogoutRequest(own.Name.Value, "", exact, saml.WithSessionIndex(own.Index))
	if err != nil {
		return "", because(identity.ErrUnreachable, err)
	}
	return to.String(), nil
}

// TakeLogout reads a message that a browser brings from a service: the request to end a session, or
// the answer to ours. of is the session of the browser's sign-in, "" without one.
func (c *Client) TakeLogout(ctx context.Context, name string, r *http.Request, of string) (identity.Logout, error) {
	p, err := c.provider(name)
	if err != nil {
		return identity.Logout{}, err
	}
	sender, request, err := messageOf(r)
	if err != nil {
		return identity.Logout{}, because(identity.ErrAnswerInvalid, err)
	}
	s, err := p.find(ctx, sender)
	if err != nil {
		return identity.Logout{}, err
	}
	s.SignatureVerifier = &signatures{}
	if !request {
		err := s.ValidateLogoutResponseRequest(r) //nolint:staticcheck // whether it answers our request does not matter: it ends nothing
		if err != nil {
			return identity.Logout{}, refusal(err)
		}
		return identity.Logout{}, nil
	}
	asked, err := s.ValidateLogoutRequest(r)
	if err != nil {
		return identity.Logout{}, refusal(err)
	}
	var own remoteSession
	known := json.Unmarshal([]byte(of), &own) == nil && own.Service == s.id
	return identity.Logout{
		Request: asked.ID, Service: s.id, State: r.FormValue("RelayState"), Meant: known && means(asked, own), SIDs: s.sidsIn(asked),
	}, nil
}

// maxIndexes bounds the sessions that one request ends.
const maxIndexes = 20

func (s *service) sidsIn(asked *saml.LogoutRequest) (sids []string) {
	if asked.NameID == nil {
		return nil
	}
	for _, index := range asked.AllSessionIndexes() {
		if sid := sidOf(s.id, asked.NameID.Value, index.Value); sid != "" && len(sids) < maxIndexes {
			sids = append(sids, sid)
		}
	}
	return sids
}

// means reports whether a request is to end a session.
func means(asked *saml.LogoutRequest, own remoteSession) bool {
	indexes := asked.AllSessionIndexes()
	one := func(index saml.SessionIndex) bool { return index.Value == own.Index }
	return asked.NameID != nil && asked.NameID.Value == own.Name.Value && (len(indexes) == 0 || slices.ContainsFunc(indexes, one))
}

// LogoutAnswer returns where a browser goes with the answer to a request: whether the session has ended.
func (c *Client) LogoutAnswer(ctx context.Context, name string, asked identity.Logout, ended bool) (string, error) {
	p, err := c.provider(name)
	if err != nil {
		return "", err
	}
	s, err := p.find(ctx, asked.Service)
	if err != nil {
		return "", err
	}
	if s.GetSLOBindingLocation(saml.HTTPRedirectBinding) == "" {
		return "", because(identity.ErrUnreachable, errors.New("the service takes no answers with HTTP-Redirect"))
	}
	status := saml.Status{StatusCode: saml.StatusCode{Value: saml.StatusSuccess}}
	if !ended {
		status.StatusCode = saml.StatusCode{Value: saml.StatusResponder, StatusCode: &saml.StatusCode{Value: saml.StatusPartialLogout}}
	}
	to, err := s.MakeRedirectLogoutResponseWithStatus(asked.Request, asked.State, status)
	if err != nil {
		return "", because(identity.ErrUnreachable, err)
	}
	return to.String(), nil
}

// messageOf returns who claims to have sent a message, and whether it is a request. Nothing is verified
// yet: it says whose keys must have signed the message.
func messageOf(r *http.Request) (sender string, request bool, err error) {
	if err := r.ParseForm(); err != nil {
		return "", false, err
	}
	values, packed := r.PostForm, false
	switch {
	case r.Method == http.MethodGet:
		values, packed = r.URL.Query(), true
	case r.URL.RawQuery != "":
		return "", false, errors.New("the form came to an address with a query")
	}
	text, request, err := onlyMessage(values)
	if err != nil {
		return "", false, err
	}
	document, err := base64.StdEncoding.DecodeString(text)
	if err == nil && packed {
		document, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(document)), MaxAnswer+1))
	}
	if err == nil && len(document) > MaxAnswer {
		err = errors.New("the message is too large")
	}
	if err != nil {
		return "", false, err
	}
	root := "LogoutResponse"
	if request {
		root = "LogoutRequest"
	}
	if _, err := readForm(bytes.NewReader(document), root); err != nil {
		return "", false, err
	}
	var message struct {
		Issuer string `xml:"urn:oasis:names:tc:SAML:2.0:assertion Issuer"`
	}
	err = xml.Unmarshal(document, &message) //nolint:gosec // readForm has bounded it and refused entities
	return message.Issuer, request, err
}

// onlyMessage returns the one message of a form.
func onlyMessage(values url.Values) (text string, request bool, err error) {
	asks, answers := values["SAMLRequest"], values["SAMLResponse"]
	switch {
	case len(asks) == 1 && len(answers) == 0 && asks[0] != "" && len(asks[0]) <= MaxAnswer:
		return asks[0], true, nil
	case len(answers) == 1 && len(asks) == 0 && answers[0] != "" && len(answers[0]) <= MaxAnswer:
		return answers[0], false, nil
	}
	return "", false, errors.New("the form has no message, or more than one")
}
