// Package inboxhttp is the JSON API of the webhook inbox: what was received, what
// became of it, and sending it again. Everything needs the operator's token.
//
//	GET  /api/host/deliveries?state=&event=&from=&to=&cursor=&limit=
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
	"time"

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
	q, err := parseQuery(r.URL.RawQuery)
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

// parameters read those of a list; the desk checks state and event. The text is
// why a value cannot be, "" where it can.
var parameters = map[string]func(q *inbox.Query, value string) string{
	"state":  func(q *inbox.Query, value string) string { q.State = value; return "" },
	"event":  func(q *inbox.Query, value string) string { q.Event = webhook.EventName(value); return "" },
	"from":   func(q *inbox.Query, value string) string { return parseTime(value, &q.From) },
	"to":     func(q *inbox.Query, value string) string { return parseTime(value, &q.To) },
	"cursor": parseCursor,
	"limit":  parseLimit,
}

// parseQuery reads the parameters of a list; an empty one is none.
func parseQuery(raw string) (q inbox.Query, err error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, inbox.ErrQuery
	}
	for name, all := range values {
		parse := parameters[name]
		switch {
		case parse == nil:
			return q, inbox.ErrQuery.WithField(strconv.Quote(name), "is not a parameter of the list")
		case len(all) > 1:
			return q, inbox.ErrQuery.WithField(name, "is given more than once")
		case all[0] == "":
			continue
		}
		if why := parse(&q, all[0]); why != "" {
			return q, inbox.ErrQuery.WithField(name, why)
		}
	}
	return q, nil
}

func parseTime(value string, into *time.Time) (why string) {
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return "is not a time as in 2026-11-20T12:00:00Z"
	}
	*into = at
	return ""
}

func parseCursor(q *inbox.Query, value string) (why string) {
	before, ok := id.Parse(value)
	if !ok {
		return "is not one that a list has given"
	}
	q.Before = before
	return ""
}

func parseLimit(q *inbox.Query, value string) (why string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > inbox.MaxPage || strconv.Itoa(n) != value {
		return "is a number from 1 to " + strconv.Itoa(inbox.MaxPage)
	}
	q.Limit = n
	return ""
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
