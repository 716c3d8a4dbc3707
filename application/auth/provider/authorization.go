package provider

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Authorizations answers the requests of OpenID clients: with a code if the user is signed in
// and consents, and with tokens for the code.
type Authorizations struct {
	*unit
}

// Step is what an authorization request needs next.
type Step struct {
	// Answer is where to send the user, back at the client; "" if the request is not answered yet.
	Answer string
	// Pending is the id of a request that is not answered yet. Only the user's browser may
	// know it. If SignIn, it is the sealed request itself, of which nothing is stored.
	Pending string
	SignIn  bool // the user must sign in, perhaps again; if false, they must consent
	StepUp  bool // they are signed in, but must do so with a second factor or a passkey
	// Recognised says that the user has just signed in at another service, which knew them from
	// before: that is not what the client wants.
	Recognised bool
	Client     openid.Client
	Scopes     string
	Uses       []Use // of resources, if the user must consent
	// ReturnsTo is the address that the answer will be sent to.
	ReturnsTo string
	Lang      user.Lang // of the page that the user sees next; "": theirs
}

// Begin reads an authorization request. by is the user of the browser, or nobody. After an
// error nothing may be sent to the client; show the error to the user.
func (a *Authorizations) Begin(ctx context.Context, by user.Caller, parameters url.Values) (Step, error) {
	if len(parameters["client_id"]) != 1 {
		return Step{}, openid.ErrClientNotFound
	}
	client, err := a.reader.FindClient(ctx, parameters.Get("client_id"))
	if err != nil {
		return Step{}, err
	}
	request, sendable, err := openid.ParseRequest(client, parameters, a.Now())
	switch {
	case err != nil && !sendable:
		return Step{}, err
	case err != nil:
		return a.refuse(client, request, err)
	}
	if err := a.ask(ctx, &request); err != nil {
		return a.refuse(client, request, err)
	}
	own, known, err := a.ownSession(ctx, by)
	if err != nil {
		return Step{}, err
	}
	if err := a.checkHint(&request, own); err != nil {
		return a.refuse(client, request, err)
	}
	return a.proceed(ctx, by, "", client, request, own, known)
}

// refuse answers a request with an error.
func (a *Authorizations) refuse(client openid.Client, r openid.Request, err error) (Step, error) {
	refusal := fault.As(err)
	if refusal == nil || refusal.Kind == fault.Unavailable {
		return Step{}, err
	}
	return Step{Answer: r.AnswerError(a.Issuer, refusal), Client: client}, nil
}

// ownSession returns the browser session of a user who acts in person; false for a session
// that belongs to a client.
func (a *Authorizations) ownSession(ctx context.Context, by user.Caller) (session.Session, bool, error) {
	if !by.SignedIn() {
		return session.Session{}, false, nil
	}
	own, err := a.Sessions.FindSession(ctx, by.ID, by.Session)
	if errors.Is(err, session.ErrNotFound) {
		return session.Session{}, false, nil
	}
	return own, err == nil && own.Client == "", err
}

// checkHint notes whom a client expects. It returns openid.ErrLoginRequired if the client must not show
// a page and expects somebody else.
func (a *Authorizations) checkHint(r *openid.Request, own session.Session) error {
	if r.Hint == "" && r.Expected == 0 {
		return nil
	}
	expected, err := a.idTokens.VerifyIDToken(r.Hint)
	if known := err == nil && expected.Client == r.Client; known {
		if r.Expected != 0 && r.Expected != expected.User {
			return openid.ErrLoginRequired // nobody is both
		}
		r.Expected = expected.User
	}
	if r.Silent && (r.Expected == 0 || r.Expected != own.User) {
		return openid.ErrLoginRequired
	}
	return nil
}

// proceed answers a request if its user need not do anything more. Otherwise the browser carries
// the request until somebody has signed in, and then it is stored, under its id if it has one.
func (a *Authorizations) proceed(
	ctx context.Context, by user.Caller, id string, client openid.Client, r openid.Request, own session.Session, known bool,
) (Step, error) {
	step := Step{Client: client, Scopes: r.Scopes, ReturnsTo: r.RedirectURI, Lang: r.Lang}
	if step.SignIn = !suffices(client, r, own, known); step.SignIn {
		if r.Silent || known && !expects(r, own) && own.CreatedAt.After(r.AskedAt) { // somebody else has just signed in
			return a.refuse(client, r, openid.ErrLoginRequired)
		}
		if step.StepUp = known && own.Level() < client.Demands(r); step.StepUp {
			if err := a.mustReach(ctx, own, client.Demands(r)); err != nil {
				return a.refuse(client, r, err)
			}
		}
		if known && own.AuthenticatedAt().IsZero() { // the service that has not said when is asked for a new proof
			r.Login = true
		}
		step.Recognised = known && own.Elsewhere && a.Now().Before(own.CreatedAt.Add(justNow))
		return a.carry(step, r)
	}
	err := a.Atomically(ctx, func(ctx context.Context, st *tx) error {
		step.Answer = ""
		if err := a.lockActive(ctx, st, own); err != nil {
			return err
		}
		consents, err := a.consents(ctx, st, by.ID, client, r)
		if err != nil || !consents {
			return err
		}
		step.Answer, err = a.answer(ctx, st, id, client, r, own, by)
		return err
	})
	switch {
	case err != nil || step.Answer != "":
		return step, err
	case r.Silent:
		return a.refuse(client, r, openid.ErrConsentRequired)
	}
	if step.Uses, err = a.usesIn(ctx, r.Scopes); err != nil {
		return Step{}, err
	}
	return a.wait(ctx, step, id, r, by)
}

// expects reports whether the user of a session is the one whom a request expects.
func expects(r openid.Request, own session.Session) bool {
	return r.Expected == 0 || r.Expected == own.User
}

// suffices reports whether a session is recent and strong enough for a request, and of the right user.
func suffices(client openid.Client, r openid.Request, own session.Session, known bool) bool {
	return known && expects(r, own) && !own.AuthenticatedAt().Before(r.SignedInSince) && own.Level() >= client.Demands(r)
}

// mustReach returns openid.ErrUnmetRequirements if the user of a session has no way to sign in as strongly.
func (a *Authorizations) mustReach(ctx context.Context, own session.Session, demanded session.Level) error {
	for _, reaches := range a.Hooks.Reaches {
		if highest, err := reaches(ctx, own); err != nil || highest >= demanded {
			return err
		}
	}
	return openid.ErrUnmetRequirements
}

// consents reports whether the user has allowed the client what it asks for and need not be asked
// again, or never is.
func (a *Authorizations) consents(ctx context.Context, st *tx, of user.ID, client openid.Client, r openid.Request) (bool, error) {
	if client.MustAsk(r.RedirectURI) {
		return false, nil
	}
	if client.FirstParty {
		return true, nil
	}
	granted, err := st.LockGrant(ctx, of, client.ID)
	if errors.Is(err, openid.ErrGrantNotFound) {
		return false, nil
	}
	return err == nil && granted.Covers(r.Scopes) && !r.Consent, err
}

// justNow is how long after it a sign-in is what the user has just done.
const justNow = time.Minute

// carry seals a request for the browser, so that a stranger's requests store nothing.
func (a *Authorizations) carry(step Step, r openid.Request) (Step, error) {
	r.Hint = "" // it was checked
	var err error
	if step.Pending, err = a.seal(r, challenge.AuthorizationRequest.Lifetime()); err != nil {
		return Step{}, err
	}
	if len(step.Pending) > MaxCarried {
		return a.refuse(step.Client, r, openid.ErrInvalidRequest.WithMsg("The parameters redirect_uri, state and nonce are longer than 2 KB."))
	}
	return step, nil
}

func (a *Authorizations) seal(r openid.Request, lifetime time.Duration) (string, error) {
	plain, err := json.Marshal(carriedRequest{r, a.Now().Add(lifetime)})
	if err != nil {
		return "", err
	}
	sealed, err := a.Secrets.Seal(append([]byte(requestMark), plain...))
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// ForNewcomer returns a request that a browser carries, sealed for as long as a sign-up waits for its confirmation. The
// error is challenge.ErrCeremonyInvalid for anything else.
func (a *Authorizations) ForNewcomer(sealed string) (string, error) {
	r, err := a.openCarried(sealed)
	if err != nil {
		return "", err
	}
	return a.seal(r, user.RegistrationLifetime)
}

// carriedRequest is a request that the browser keeps until somebody has signed in.
type carriedRequest struct {
	openid.Request
	ExpiresAt time.Time
}

const (
	// MaxCarried bounds the sealed request in Step.Pending, in bytes.
	MaxCarried = 3900
	// requestMark tells carried requests from other secrets.
	requestMark = "authorization request\x00"
)

// openCarried returns a request that a browser has carried, or challenge.ErrCeremonyInvalid.
func (a *Authorizations) openCarried(sealed string) (r openid.Request, err error) {
	if len(sealed) > MaxCarried {
		return r, challenge.ErrCeremonyInvalid
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		raw, err = a.Secrets.Open(raw)
	}
	plain, ok := bytes.CutPrefix(raw, []byte(requestMark))
	var carried carriedRequest
	if err != nil || !ok || json.Unmarshal(plain, &carried) != nil || !a.Now().Before(carried.ExpiresAt) {
		return r, challenge.ErrCeremonyInvalid
	}
	return carried.Request, nil
}

// wait stores a request until its user has consented. Nobody else can continue it.
func (a *Authorizations) wait(ctx context.Context, step Step, id string, r openid.Request, by user.Caller) (Step, error) {
	if id == "" {
		var err error
		if id, err = challenge.NewLink(a.Random); err != nil {
			return Step{}, err
		}
	}
	step.Pending = id
	return step, a.put(ctx, challenge.AuthorizationRequest, id, by, r)
}

// put stores a ceremony with a state that is a JSON object.
func (a *Authorizations) put(ctx context.Context, p challenge.Purpose, id string, by user.Caller, state any) error {
	return a.Atomically(ctx, func(ctx context.Context, st *tx) error {
		return a.putIn(ctx, st, p, id, by, state, p.Lifetime())
	})
}

func (a *Authorizations) putIn(
	ctx context.Context, st *tx, p challenge.Purpose, id string, by user.Caller, state any, lifetime time.Duration,
) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	if len(text) > challenge.MaxState {
		return openid.ErrInvalidRequest
	}
	now := a.Now()
	return st.PutCeremony(ctx, challenge.Ceremony{
		Purpose: p, Digest: a.CodeKey.CeremonyDigest(p, id), User: by.ID, Browser: by.From.UserAgent, State: text,
		CreatedAt: now, ExpiresAt: now.Add(lifetime),
	})
}
