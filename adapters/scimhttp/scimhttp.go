// Package scimhttp serves SCIM 2.0 (RFC 7643 and RFC 7644) over net/http, by which the directory of an
// institution creates, changes, suspends and deletes accounts.
package scimhttp

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// Base is the path of the service.
const Base = "/scim/v2"

const (
	usersPath = Base + "/Users"
	maxBody   = 64 << 10
)

// Options are the other dependencies. All are required.
type Options struct {
	BaseURL string // prefix of locations, without a trailing slash
	Token   string // that the directory sends
	Now     func() time.Time
	Log     *slog.Logger
}

// Handler serves the endpoints.
type Handler struct {
	people *account.Provisioning
	Options
	token *httpx.OperatorToken
}

// New returns the endpoints over the use cases.
func New(p *account.Provisioning, o Options) *Handler {
	return &Handler{p, o, httpx.NewOperatorToken(o.Token, o.Now)}
}

// Route is one route. Its path may have the parameter id.
type Route struct {
	Method, Path string
	Handler      http.HandlerFunc
}

// Routes returns all routes, whose parameters are in http.Request.PathValue.
func (h *Handler) Routes() []Route {
	return []Route{
		{http.MethodGet, usersPath, h.serve(h.list)},
		{http.MethodPost, usersPath, h.serve(h.create)},
		{http.MethodGet, usersPath + "/:id", h.serve(h.read)},
		{http.MethodPut, usersPath + "/:id", h.serve(h.replace)},
		{http.MethodPatch, usersPath + "/:id", h.serve(h.patch)},
		{http.MethodDelete, usersPath + "/:id", h.serve(h.delete)},
		{http.MethodGet, Base + "/ServiceProviderConfig", h.serve(h.serviceProviderConfig)},
		{http.MethodGet, Base + "/ResourceTypes", h.serve(h.resourceTypes)},
		{http.MethodGet, Base + "/ResourceTypes/:id", h.serve(h.resourceType)},
		{http.MethodGet, Base + "/Schemas", h.serve(h.schemas)},
		{http.MethodGet, Base + "/Schemas/:id", h.serve(h.schema)},
	}
}

// serve lets nobody in without the token, and writes errors.
func (h *Handler) serve(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		_, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		err := h.token.Verify(httpx.ClientInfo(r.Context()).IP, strings.TrimSpace(given))
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			err = f(w, r)
		}
		if err == nil {
			return
		}
		if errors.Is(err, httpx.ErrWrongToken) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="scim"`)
		}
		if httpx.Status(err) == http.StatusInternalServerError {
			h.Log.ErrorContext(r.Context(), "a SCIM request failed", "path", r.URL.Path, "error", err)
		}
		Refuse(w, r, err)
	}
}

func (h *Handler) create(w http.ResponseWriter, r *http.Request) error {
	var in resource
	if err := readJSON(r, &in); err != nil {
		return err
	}
	p := user.Person{Active: true}
	if err := in.apply(&p); err != nil {
		return err
	}
	u, err := h.people.Create(r.Context(), p, httpx.ClientInfo(r.Context()))
	if err != nil {
		return err
	}
	h.write(w, http.StatusCreated, u)
	return nil
}

func (h *Handler) read(w http.ResponseWriter, r *http.Request) error {
	u, err := h.people.Find(r.Context(), idOf(r))
	if err != nil {
		return err
	}
	if v := version(u.Person()); httpx.IsCurrent(r, v) {
		w.Header().Set("ETag", v)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.write(w, http.StatusOK, u)
	return nil
}

// replace serves PUT: what the body leaves out is cleared, but nobody is let in or shut out by that.
func (h *Handler) replace(w http.ResponseWriter, r *http.Request) error {
	var in resource
	if err := readJSON(r, &in); err != nil {
		return err
	}
	return h.change(w, r, func(p *user.Person) error {
		*p = user.Person{Active: p.Active, Lang: p.Lang}
		return in.apply(p)
	})
}

func (h *Handler) patch(w http.ResponseWriter, r *http.Request) error {
	var in patchRequest
	if err := readJSON(r, &in); err != nil {
		return err
	}
	if n := len(in.Operations); n == 0 || n > maxOperations {
		return errSyntax.WithMsg("A patch has 1 to 100 operations.")
	}
	return h.change(w, r, in.apply)
}

func (h *Handler) change(w http.ResponseWriter, r *http.Request, change func(*user.Person) error) error {
	u, err := h.people.Change(r.Context(), idOf(r), func(p *user.Person) error {
		if err := matches(r, *p); err != nil {
			return err
		}
		return change(p)
	}, httpx.ClientInfo(r.Context()))
	if err != nil {
		return err
	}
	h.write(w, http.StatusOK, u)
	return nil
}

func (h *Handler) delete(w http.ResponseWriter, r *http.Request) error {
	err := h.people.Delete(r.Context(), idOf(r), func(p user.Person) error { return matches(r, p) }, httpx.ClientInfo(r.Context()))
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// idOf returns the account that the path names; 0, which is nobody's, if it cannot be one.
func idOf(r *http.Request) user.ID {
	n, _ := id.Parse(r.PathValue("id"))
	return user.ID(n)
}

func readJSON(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	err := decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("there is more than one value")
	}
	var long *http.MaxBytesError
	switch refusal := fault.As(err); {
	case refusal != nil: // of an attribute
		return refusal
	case errors.As(err, &long):
		return err
	case err != nil:
		return errSyntax
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/scim+json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
