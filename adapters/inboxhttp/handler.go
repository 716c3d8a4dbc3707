// Package inboxhttp is the JSON API of the webhook inbox: what was received, what
// became of it, and sending it again. Everything needs the operator's token.
//
//	GET  /api/host/deliveries?state=&event=&cursor=&limit=
//	GET  /api/host/deliveries/{id}
//	POST /api/host/deliveries/{id}/redeliver
//
// A refusal is a JSON object with the single field error.
package inboxhttp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Path is below what everything stands.
const Path = "/api/host/deliveries"

// ErrToken refuses to open the API to everybody.
var ErrToken = errors.New("the token of the deliveries' API is empty")

// Desk is what the API shows; *inbox.Desk and *inbox.Service are one.
type Desk interface {
	List(ctx context.Context, q inbox.Query) (page []inbox.Delivery, next int64, err error)
	Find(ctx context.Context, id string) (inbox.Delivery, error)
	Redeliver(ctx context.Context, id string) (jobs int, err error)
}

type handler struct {
	desk  Desk
	token [sha256.Size]byte
	log   *slog.Logger
}

// Handler serves the API to those who send "Authorization: Bearer " and token.
// An empty token is ErrToken.
func Handler(desk Desk, token string, log *slog.Logger) (http.Handler, error) {
	if token == "" {
		return nil, ErrToken
	}
	h := &handler{desk, sha256.Sum256([]byte(token)), log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, h.list)
	mux.HandleFunc("GET "+Path+"/{id}", h.show)
	mux.HandleFunc("POST "+Path+"/{id}/redeliver", h.redeliver)
	mux.HandleFunc("/", unknown)
	return h.guarded(mux), nil
}

// guarded asks for the token before anything else.
func (h *handler) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		given := sha256.Sum256([]byte(strings.TrimSpace(token)))
		if !strings.EqualFold(kind, "Bearer") || subtle.ConstantTimeCompare(given[:], h.token[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "The token is missing or wrong")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (h *handler) list(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		h.fail(w, r, err)
		return
	}
	page, next, err := h.desk.List(r.Context(), q)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, ViewPage(page, next))
}

// parseQuery reads state, event, cursor and limit; the desk checks the first two.
func parseQuery(v url.Values) (inbox.Query, error) {
	q := inbox.Query{State: v.Get("state"), Event: webhook.EventName(v.Get("event"))}
	if cursor := v.Get("cursor"); cursor != "" {
		before, ok := id.Parse(cursor)
		if !ok {
			return q, inbox.ErrQuery.WithField("cursor", "is not one that a list has given")
		}
		q.Before = before
	}
	if limit := v.Get("limit"); limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > inbox.MaxPage {
			return q, inbox.ErrQuery.WithField("limit", "is a number from 1 to "+strconv.Itoa(inbox.MaxPage))
		}
		q.Limit = n
	}
	return q, nil
}

func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	d, err := h.desk.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, ViewWhole(d))
}

func (h *handler) redeliver(w http.ResponseWriter, r *http.Request) {
	jobs, err := h.desk.Redeliver(r.Context(), r.PathValue("id"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	reply(w, http.StatusAccepted, Redelivery{r.PathValue("id"), jobs})
}

func unknown(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotFound, "Unknown route: "+r.Method+" "+r.URL.Path)
}

// statuses are how the kinds of refusals are answered.
var statuses = map[fault.Kind]int{
	fault.Invalid: http.StatusBadRequest, fault.NotFound: http.StatusNotFound,
	fault.Conflict: http.StatusConflict, fault.Unavailable: http.StatusServiceUnavailable,
}

// fail answers an error of the desk; what is no refusal is logged, not shown.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.As(err)
	if status := statuses[fault.KindOf(err)]; status != 0 {
		text := f.Msg
		for field, why := range f.Fields {
			text = field + " " + why
		}
		refuse(w, status, text)
		return
	}
	if r.Context().Err() == nil {
		h.log.ErrorContext(r.Context(), "answering for the inbox failed", "path", r.URL.Path, "error", err)
	}
	refuse(w, http.StatusInternalServerError, "Something went wrong")
}

func refuse(w http.ResponseWriter, status int, text string) {
	reply(w, status, map[string]string{"error": text})
}

func reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"Something went wrong"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that has gone needs no answer
}
