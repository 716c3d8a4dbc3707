package octavo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	octavo "github.com/octavo-books/octavo/docs/clients/go"
)

const password = "correct horse battery staple"

// server is the address of a server in development, which the tests of the program start.
func server(t *testing.T) string {
	t.Helper()
	url := os.Getenv("OCTAVO_URL")
	if url == "" {
		t.Skip("needs OCTAVO_URL, the address of a server in development")
	}
	return url
}

// member signs somebody up and returns the address.
func member(t *testing.T) string {
	t.Helper()
	email := fmt.Sprintf("client-%d@campus.edu", time.Now().UnixNano())
	client := octavo.New(server(t), octavo.Options{})
	if _, err := octavo.SignUp(t.Context(), client, email, password, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := octavo.VerifyEmail(t.Context(), client, email, code(t, email)); err != nil {
		t.Fatal(err)
	}
	return email
}

// code waits for the code that was mailed.
func code(t *testing.T, email string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		resp, err := http.Get(server(t) + "/dev/mail.json?to=" + url.QueryEscape(email))
		if err != nil {
			t.Fatal(err)
		}
		var mails []struct{ Code *string }
		err = json.NewDecoder(resp.Body).Decode(&mails)
		_ = resp.Body.Close()
		if err == nil && len(mails) > 0 && mails[0].Code != nil {
			return *mails[0].Code
		}
	}
	t.Fatal("no code was mailed")
	return ""
}

func signIn(t *testing.T, client *octavo.Client, email string) {
	t.Helper()
	if _, err := octavo.SignIn(t.Context(), client, email, password, nil); err != nil {
		t.Fatal(err)
	}
}

// stale returns the tokens of a new session, of which the access token is no longer valid.
func stale(t *testing.T, email string) octavo.Tokens {
	t.Helper()
	client := octavo.New(server(t), octavo.Options{})
	signIn(t, client, email)
	tokens := client.Tokens()
	tokens.Access = "expired"
	return tokens
}

// refreshes counts the refreshes that go through it.
type refreshes struct {
	count atomic.Int32
	hold  chan struct{} // if not nil, a refresh waits for it
}

func (r *refreshes) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(body), `"RefreshSession"`) {
		r.count.Add(1)
		if r.hold != nil {
			<-r.hold
		}
	}
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	return http.DefaultTransport.RoundTrip(req)
}

func TestSomebodySignsInAndOut(t *testing.T) {
	email := member(t)
	client := octavo.New(server(t)+"/", octavo.Options{})
	if _, err := client.Token(t.Context()); octavo.CodeOf(err) != octavo.CodeUnauthenticated {
		t.Errorf("nobody's token: %v", err)
	}
	if _, err := octavo.SignIn(t.Context(), client, email, "another horse", nil); octavo.CodeOf(err) != octavo.CodeInvalidCredentials {
		t.Errorf("a wrong password: %v", err)
	}
	signIn(t, client, email)
	me, err := octavo.Me(t.Context(), client)
	if err != nil || me.Me.Email != email || me.Me.Role != octavo.RoleUser || time.Since(me.Me.CreatedAt) > time.Hour {
		t.Fatalf("%+v, %v", me, err)
	}
	list, err := octavo.Sessions(t.Context(), client)
	if err != nil || len(list.Me.Sessions) != 1 || !list.Me.Sessions[0].Current {
		t.Fatalf("%+v, %v", list, err)
	}
	token, err := client.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := octavo.TokenInfo(t.Context(), client, token); err != nil || !info.TokenInfo.Active || *info.TokenInfo.UserId != me.Me.Id {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := octavo.SignOut(t.Context(), client); err != nil || client.Tokens() != (octavo.Tokens{}) {
		t.Errorf("after the sign-out: %v, %v", client.Tokens(), err)
	}
	if info, err := octavo.TokenInfo(t.Context(), client, token); err != nil || info.TokenInfo.Active {
		t.Errorf("the token still works: %+v, %v", info, err)
	}
}

func TestManyCallersRefreshOnce(t *testing.T) {
	var counted refreshes
	var stored []octavo.Tokens
	client := octavo.New(server(t), octavo.Options{
		HTTP: &http.Client{Transport: &counted}, Tokens: stale(t, member(t)),
		OnTokens: func(tokens octavo.Tokens) { stored = append(stored, tokens) },
	})
	var callers sync.WaitGroup
	for range 30 {
		callers.Go(func() {
			if _, err := octavo.Me(t.Context(), client); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if n := counted.count.Load(); n != 1 || len(stored) != 1 || stored[0] != client.Tokens() {
		t.Errorf("%d refreshes, stored %v", n, stored)
	}
}

func TestATokenIsRenewedBeforeItExpires(t *testing.T) {
	tokens := stale(t, member(t))
	tokens.Expires = time.Now().Add(5 * time.Second)
	client := octavo.New(server(t), octavo.Options{Tokens: tokens})
	token, err := client.Token(t.Context())
	if err != nil || token == tokens.Access {
		t.Errorf("%q, %v", token, err)
	}
}

func TestACallerWhoGivesUpLeavesTheRefreshToOthers(t *testing.T) {
	counted := refreshes{hold: make(chan struct{})}
	client := octavo.New(server(t), octavo.Options{HTTP: &http.Client{Transport: &counted}, Tokens: stale(t, member(t))})
	ctx, giveUp := context.WithCancel(t.Context())
	results := make(chan error)
	for _, ctx := range []context.Context{ctx, t.Context()} {
		go func() {
			_, err := octavo.Me(ctx, client)
			results <- err
		}()
	}
	for counted.count.Load() == 0 {
		<-time.After(time.Millisecond)
	}
	giveUp()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who gave up: %v", err)
	}
	close(counted.hold)
	if err := <-results; err != nil || counted.count.Load() != 1 {
		t.Errorf("the other one after %d refreshes: %v", counted.count.Load(), err)
	}
}

func TestAnEndedSessionIsForgotten(t *testing.T) {
	email := member(t)
	var last octavo.Tokens
	client := octavo.New(server(t), octavo.Options{OnTokens: func(tokens octavo.Tokens) { last = tokens }})
	signIn(t, client, email)
	other := octavo.New(server(t), octavo.Options{})
	signIn(t, other, email)
	if n, err := octavo.RevokeOtherSessions(t.Context(), other); err != nil || n.RevokeOtherSessions != 1 {
		t.Fatalf("%+v, %v", n, err)
	}
	if _, err := octavo.Me(t.Context(), client); octavo.CodeOf(err) != octavo.CodeUnauthenticated {
		t.Errorf("an ended session: %v", err)
	}
	if last != (octavo.Tokens{}) || client.Tokens() != last {
		t.Errorf("its tokens are kept: %v", last)
	}
	signIn(t, client, email)
	if _, err := octavo.Me(t.Context(), client); err != nil {
		t.Error(err)
	}
}

// answers is a server that always answers the same.
type answers struct {
	status int
	body   string
	count  int
}

func (a *answers) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	a.count++
	w.WriteHeader(a.status)
	_, _ = w.Write([]byte(a.body))
}

func TestFailuresHaveACodeAndSayWhenToTryAgain(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   octavo.Code
		retry  time.Duration
	}{
		"a limit":       {200, `{"errors":[{"message":"Too many.","extensions":{"code":"RATE_LIMITED","retryAfter":7}}]}`, octavo.CodeRateLimited, 7 * time.Second},
		"a refusal":     {400, `{"errors":[{"message":"No.","extensions":{"code":"BAD_REQUEST"}}]}`, octavo.CodeBadRequest, 0},
		"a store down":  {503, `{"errors":[{"message":"Later.","extensions":{"code":"UNAVAILABLE","retryAfter":1}}]}`, octavo.CodeUnavailable, time.Second},
		"a proxy":       {502, `<html>Bad Gateway</html>`, octavo.CodeUnavailable, 0},
		"another site":  {404, `not found`, octavo.CodeInternal, 0},
		"a fresh proof": {200, `{"errors":[{"message":"Again.","extensions":{"code":"UNAUTHENTICATED","reason":"REAUTHENTICATE"}}]}`, octavo.CodeUnauthenticated, 0},
	} {
		says := &answers{status: c.status, body: c.body}
		s := httptest.NewServer(says)
		client := octavo.New(s.URL, octavo.Options{Tokens: octavo.Tokens{Access: "a", Refresh: "r", Expires: time.Now().Add(time.Hour)}})
		_, err := octavo.Me(t.Context(), client)
		s.Close()
		var e *octavo.Error
		if !errors.As(err, &e) || e.Code != c.code || e.RetryAfter != c.retry || e.Status != c.status {
			t.Errorf("%s: %+v", name, err)
		}
		if says.count != 1 {
			t.Errorf("%s: sent %d times, but a new token does not help", name, says.count)
		}
	}
}
