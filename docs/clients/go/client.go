// Package octavo is a client of Octavo's auth service. The functions in operations.go, one
// for each operation, are generated from its schema and take a Client:
//
//	client := octavo.New("https://books.example.edu", octavo.Options{})
//	if _, err := octavo.SignIn(ctx, client, email, password, nil); err != nil { … }
//	me, err := octavo.Me(ctx, client)
package octavo

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/Khan/genqlient/graphql"
)

// Options are the settings of a Client; the zero value works.
type Options struct {
	// HTTP sends the requests. Default: a client with a timeout of 30 seconds.
	HTTP *http.Client
	// Tokens are those of an earlier sign-in, as OnTokens got them.
	Tokens Tokens
	// OnTokens is called with each new pair of tokens, and with the zero Tokens when the
	// session has ended, by one goroutine at a time. A program that outlives its process
	// stores them: each refresh token is good for one refresh.
	OnTokens func(Tokens)
}

// Tokens are the tokens of a session. The zero value is nobody's.
type Tokens struct {
	Access  string
	Refresh string
	Expires time.Time // of Access
}

// Client sends operations as one user, or as nobody until SignIn or another operation that
// signs in has returned. It renews the access token before it expires and after it was refused, once
// for all callers that need it. It is safe for concurrent use.
type Client struct {
	url      string
	http     *http.Client
	onTokens func(Tokens)

	storing sync.Mutex // held while onTokens runs, so that it gets the tokens in order
	mu      sync.Mutex
	tokens  Tokens
	renewal *renewal // nil if there is none under way
}

// renewal is one refresh, for which any number of callers wait.
type renewal struct {
	done chan struct{} // closed at its end
	err  error
}

// New returns a client of the server at an address such as https://books.example.edu.
func New(url string, o Options) *Client {
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	if o.OnTokens == nil {
		o.OnTokens = func(Tokens) {}
	}
	return &Client{url: strings.TrimSuffix(url, "/") + "/graphql", http: o.HTTP, onTokens: o.OnTokens, tokens: o.Tokens}
}

// Token returns an access token that is valid for at least ten seconds, for requests to
// other services. It fails with CodeUnauthenticated if nobody is signed in.
func (c *Client) Token(ctx context.Context) (string, error) {
	tokens, err := c.fresh(ctx)
	if err == nil && tokens.Access == "" {
		err = &Error{Code: CodeUnauthenticated, Message: "Nobody is signed in."}
	}
	return tokens.Access, err
}

// Tokens returns the current tokens, which may have expired.
func (c *Client) Tokens() Tokens {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens
}

// MakeRequest implements graphql.Client. Every failure that the server reports is an *Error.
// An operation that was refused because the access token is no longer valid is sent once
// more, with a new one. A document should therefore have one mutation.
func (c *Client) MakeRequest(ctx context.Context, req *graphql.Request, resp *graphql.Response) error {
	tokens, err := c.fresh(ctx)
	if err != nil {
		return err
	}
	err = c.send(ctx, tokens.Access, req, resp)
	if tokens.Access != "" && isExpired(err) {
		if failed := c.renew(ctx, tokens); CodeOf(failed) == CodeSessionInvalid {
			return err
		} else if failed != nil {
			return failed
		}
		resp.Errors, resp.Extensions = nil, nil
		err = c.send(ctx, c.Tokens().Access, req, resp)
	}
	if err != nil {
		return err
	}
	c.remember(resp.Data)
	return nil
}

// remember stores the tokens of a sign-in, which is any operation whose data has a SignedIn.
func (c *Client) remember(data any) {
	if _, out := data.(*SignOutResponse); out {
		c.set(Tokens{})
		return
	}
	v := reflect.Indirect(reflect.ValueOf(data))
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if !v.Field(i).CanInterface() {
			continue
		}
		if in, ok := v.Field(i).Interface().(SignedIn); ok {
			c.set(in.tokens())
		}
	}
}

func (s SignedIn) tokens() Tokens {
	return Tokens{s.AccessToken, s.RefreshToken, time.Now().Add(time.Duration(s.ExpiresIn) * time.Second)}
}

// send sends one request as the owner of an access token, or as nobody.
func (c *Client) send(ctx context.Context, access string, req *graphql.Request, resp *graphql.Response) error {
	return typed(graphql.NewClient(c.url, bearer{c.http, access}).MakeRequest(ctx, req, resp))
}

// bearer adds an access token to requests.
type bearer struct {
	http   *http.Client
	access string
}

func (b bearer) Do(r *http.Request) (*http.Response, error) {
	if b.access != "" {
		r.Header.Set("Authorization", "Bearer "+b.access)
	}
	return b.http.Do(r)
}

const renewBefore = 10 * time.Second

// fresh returns the tokens, after a renewal if they are about to expire. Those of a session
// that has ended are the zero Tokens, so that its user can sign in again.
func (c *Client) fresh(ctx context.Context) (Tokens, error) {
	tokens := c.Tokens()
	if tokens.Refresh == "" || time.Until(tokens.Expires) > renewBefore {
		return tokens, nil
	}
	if err := c.renew(ctx, tokens); err != nil && CodeOf(err) != CodeSessionInvalid {
		return Tokens{}, err
	}
	return c.Tokens(), nil
}

// renew replaces old tokens. If another caller has replaced them, it does nothing; if one is
// about to, it waits. The refresh itself goes on if ctx ends, because others may wait for it.
func (c *Client) renew(ctx context.Context, old Tokens) error {
	c.mu.Lock()
	if c.tokens != old {
		c.mu.Unlock()
		return nil
	}
	r := c.renewal
	if r == nil {
		r = &renewal{done: make(chan struct{})}
		c.renewal = r
		go c.run(r, old) // ends within its timeout, whatever becomes of ctx
	}
	c.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) run(r *renewal, old Tokens) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var data RefreshSessionResponse
	request := &graphql.Request{
		OpName: "RefreshSession", Query: RefreshSession_Operation, Variables: &__RefreshSessionInput{RefreshToken: &old.Refresh},
	}
	r.err = c.send(ctx, "", request, &graphql.Response{Data: &data})
	switch {
	case r.err == nil:
		c.replace(old, data.RefreshSession.tokens())
	case CodeOf(r.err) == CodeSessionInvalid:
		c.replace(old, Tokens{})
	}
	c.mu.Lock()
	c.renewal = nil
	c.mu.Unlock()
	close(r.done)
}

// replace stores the result of a renewal, unless somebody has signed in or out meanwhile.
func (c *Client) replace(old, tokens Tokens) { c.store(tokens, func() bool { return c.tokens == old }) }

func (c *Client) set(tokens Tokens) { c.store(tokens, func() bool { return true }) }

func (c *Client) store(tokens Tokens, wanted func() bool) {
	c.storing.Lock()
	defer c.storing.Unlock()
	c.mu.Lock()
	stored := wanted()
	if stored {
		c.tokens = tokens
	}
	c.mu.Unlock()
	if stored {
		c.onTokens(tokens)
	}
}
