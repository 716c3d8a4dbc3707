// Package inboxhttp is the JSON API of the webhook inbox: it lists deliveries with
// the state of their forwarding and redelivers them, and lists, pauses and resumes
// rules. Every request needs the operator's token.
//
//	GET  /api/host/deliveries?source=&state=&event=&text=&from=&to=&cursor=&limit=
//	GET  /api/host/deliveries/stream?source=&event=
//	GET  /api/host/deliveries/{id}?source=
//	POST /api/host/deliveries/{id}/redeliver?source=
//	GET  /api/host/rules
//	POST /api/host/rules/{name}/pause
//	POST /api/host/rules/{name}/resume
//
// An error is a JSON object with the single field error.
package inboxhttp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Path is the prefix of the routes of deliveries.
const Path = "/api/host/deliveries"

// StreamPath is the path of the stream, whose requests need no timeout.
const StreamPath = Path + "/stream"

// ErrEmptyToken refuses to serve the API without a token.
var ErrEmptyToken = errors.New("the token of the deliveries API is empty")

// Admin is the use case behind the API; *serving.Service implements it.
type Admin interface {
	ListDeliveries(ctx context.Context, q inbox.Query) (page []inbox.Delivery, next int64, err error)
	FindDelivery(ctx context.Context, source, id string) (inbox.Delivery, error)
	Redeliver(ctx context.Context, source, id string) (jobs int, err error)
	ListRules(ctx context.Context) ([]inbox.RuleStatus, error)
	PauseRule(ctx context.Context, key string) error
	ResumeRule(ctx context.Context, key string) error
	FollowDeliveries(ctx context.Context, f inbox.Follow, to inbox.Follower) error
}

type handler struct {
	admin Admin
	token *httpx.OperatorToken
	log   *slog.Logger
}

// Handler serves the API to requests with the header "Authorization: Bearer <token>".
// A client that sends many others is refused for a minute. The error for an empty token is
// ErrEmptyToken.
func Handler(admin Admin, token string, now func() time.Time, log *slog.Logger) (http.Handler, error) {
	if token == "" {
		return nil, ErrEmptyToken
	}
	h := &handler{admin, httpx.NewOperatorToken(token, now), log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, h.list)
	mux.HandleFunc("GET "+StreamPath, h.stream)
	mux.HandleFunc("GET "+Path+"/{id}", h.show)
	mux.HandleFunc("POST "+Path+"/{id}/redeliver", h.redeliver)
	mux.HandleFunc("GET "+RulesPath, h.rules)
	mux.HandleFunc("POST "+RulesPath+"/{name}/pause", h.pause)
	mux.HandleFunc("POST "+RulesPath+"/{name}/resume", h.resume)
	mux.HandleFunc("/", writeUnknownRoute)
	return h.requireToken(mux), nil
}

// requireToken checks the token before anything else. A request without one is no try.
func (h *handler) requireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		err := error(httpx.ErrWrongToken)
		if token = strings.TrimSpace(token); strings.EqualFold(kind, "Bearer") && token != "" {
			err = h.token.Verify(httpx.ClientInfo(r.Context()).IP, token)
		}
		switch {
		case errors.Is(err, httpx.ErrTooManyTokens):
			h.writeError(w, r, err)
		case err != nil:
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeRefusal(w, http.StatusUnauthorized, "The token is missing or wrong")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (h *handler) list(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	page, next, err := h.admin.ListDeliveries(r.Context(), q)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, ViewPage(page, next))
}

// parameters parse the parameters of a list; Admin validates state and event. The
// result says why a value is invalid, "" if it is valid.
var parameters = map[string]func(q *inbox.Query, value string) string{
	"source": func(q *inbox.Query, value string) string { q.Source = value; return "" },
	"state":  func(q *inbox.Query, value string) string { q.State = value; return "" },
	"event":  func(q *inbox.Query, value string) string { q.Event = webhook.EventName(value); return "" },
	"text":   func(q *inbox.Query, value string) string { q.Text = value; return "" },
	"from":   func(q *inbox.Query, value string) string { return parseTime(value, &q.From) },
	"to":     func(q *inbox.Query, value string) string { return parseTime(value, &q.To) },
	"cursor": parseCursor,
	"limit":  parseLimit,
}

// parseQuery parses the parameters of a list; an empty value counts as absent.
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

// parseSource parses the one parameter of a request for a delivery, "" without it.
func parseSource(raw string) (string, error) {
	values, err := url.ParseQuery(raw)
	switch {
	case err != nil:
		return "", inbox.ErrQuery
	case len(values["source"]) > 1:
		return "", inbox.ErrQuery.WithField("source", "is given more than once")
	}
	return values.Get("source"), nil
}

func parseTime(value string, into *time.Time) (why string) {
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return "must be a time such as 2026-11-20T12:00:00Z"
	}
	*into = at
	return ""
}

func parseCursor(q *inbox.Query, value string) (why string) {
	before, ok := id.Parse(value)
	if !ok {
		return "must be the cursor of an earlier page"
	}
	q.Before = before
	return ""
}

func parseLimit(q *inbox.Query, value string) (why string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > inbox.MaxPage || strconv.Itoa(n) != value {
		return "must be a number from 1 to " + strconv.Itoa(inbox.MaxPage)
	}
	q.Limit = n
	return ""
}

func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	source, err := parseSource(r.URL.RawQuery)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	d, err := h.admin.FindDelivery(r.Context(), source, r.PathValue("id"))
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, ViewWithPayload(d))
}

func (h *handler) redeliver(w http.ResponseWriter, r *http.Request) {
	source, err := parseSource(r.URL.RawQuery)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	jobs, err := h.admin.Redeliver(r.Context(), source, r.PathValue("id"))
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusAccepted, Redelivery{r.PathValue("id"), jobs})
}

func writeUnknownRoute(w http.ResponseWriter, r *http.Request) {
	writeRefusal(w, http.StatusNotFound, "Unknown route: "+r.Method+" "+r.URL.Path)
}

// statuses maps the kinds of faults to HTTP statuses.
var statuses = map[fault.Kind]int{
	fault.Invalid: http.StatusBadRequest, fault.NotFound: http.StatusNotFound,
	fault.Conflict: http.StatusConflict, fault.Limited: http.StatusTooManyRequests, fault.Unavailable: http.StatusServiceUnavailable,
}

// writeError answers a fault with its message. Any other error is logged, not shown.
func (h *handler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.As(err)
	if status := statuses[fault.KindOf(err)]; status != 0 {
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
		}
		text := f.Msg
		for field, why := range f.Fields {
			text = field + " " + why
		}
		writeRefusal(w, status, text)
		return
	}
	if r.Context().Err() == nil {
		h.log.ErrorContext(r.Context(), "a request to the deliveries API failed", "path", r.URL.Path, "error", err)
	}
	writeRefusal(w, http.StatusInternalServerError, "Something went wrong")
}

func writeRefusal(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]string{"error": text})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"Something went wrong"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // an error means that the client is gone
}
