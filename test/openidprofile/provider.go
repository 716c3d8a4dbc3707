// Package openidprofile has modules of the OpenID Foundation's conformance suite, under the suite's
// names, for any OpenID provider. The suite itself needs a server of its own; these send what it sends
// and want what it wants. Where people of the Foundation would look at a picture of a page, a module
// wants what its description says of the page.
package openidprofile

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
)

// Provider describes a provider to the modules.
type Provider struct {
	Issuer string
	// The applications that are registered there: for the code flow, and free to send no PKCE.
	Basic Client // authenticates with client_secret_basic
	Post  Client // authenticates with client_secret_post
	Query Client // its RedirectURI has a query
	Back  Client // hears of sign-outs at Channel
	Front Client // a page of it is loaded for sign-outs
	// Channel is the end of the back channel.
	Channel *Channel
	// Read finds the form that a page shows to its user and fills it in for somebody who agrees to
	// everything; false if the page asks for nothing.
	Read func(Page) (Answer, bool)
}

// Client is an application that is registered at a provider.
type Client struct {
	ID, Secret, RedirectURI string
	PostLogoutURI           string
	FrontChannelURI         string
}

// Question is what a page asks of its user.
type Question string

// The questions.
const (
	SignIn  Question = "to sign in"
	Consent Question = "to consent"
	SignOut Question = "to agree to a sign-out"
)

// Answer is a form that is filled in.
type Answer struct {
	To     Question
	Action string // a reference, relative to the page
	Fields url.Values
}

// Channel is where an application hears of sign-outs through the back channel.
type Channel struct {
	*httptest.Server
	mu    sync.Mutex
	heard []string
}

// OpenChannel opens a back channel; close it.
func OpenChannel() *Channel {
	c := &Channel{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.heard = append(c.heard, r.PostFormValue("logout_token"))
	}))
	return c
}

// tokens returns the logout tokens that have come.
func (c *Channel) tokens() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.heard...)
}
