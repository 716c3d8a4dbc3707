package inboxhttp

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// RulesPath is the prefix of the routes of forwarding rules.
const RulesPath = "/api/host/rules"

// Rules is the list of forwarding rules in their order.
type Rules struct {
	Rules []Rule `json:"rules"`
}

// RulesPage is a part of it.
type RulesPage struct {
	Rules
	Cursor *string `json:"cursor"` // of the next page, null at the end
}

// Rule is a forwarding rule and its state as the API and the command line show it.
type Rule struct {
	Name         string     `json:"name"`   // its name, or match=url
	Target       string     `json:"target"` // the URL without its query
	Source       *string    `json:"source"` // null for any
	Match        []string   `json:"match"`
	Where        *string    `json:"where"`
	Rate         *string    `json:"rate"`
	State        string     `json:"state"`    // active, failing or paused
	PausedBy     *string    `json:"pausedBy"` // file or operator
	PausedAt     *time.Time `json:"pausedAt"` // by an operator
	Circuit      string     `json:"circuit"`  // closed, or open after ten failures in a row
	FailingSince *time.Time `json:"failingSince"`
	Backlog      Backlog    `json:"backlog"`
	LastAnswer   *Answer    `json:"lastAnswer"` // null before the first attempt
	LastHour     Attempts   `json:"lastHour"`
}

// Backlog counts the deliveries of a rule that wait and those that were given up.
type Backlog struct {
	Pending  int        `json:"pending"`
	Dead     int        `json:"dead"`
	OldestAt *time.Time `json:"oldestAt"` // when the oldest pending one arrived
}

// Answer is the result of an attempt.
type Answer struct {
	At     time.Time `json:"at"`
	Status *int      `json:"status"` // null without a response
	Error  *string   `json:"error"`
}

// Attempts counts attempts and those that the target did not accept.
type Attempts struct {
	Attempts int `json:"attempts"`
	Failures int `json:"failures"`
}

// Pause reports whether a rule is paused after a request.
type Pause struct {
	Name   string `json:"name"`
	Paused bool   `json:"paused"`
}

// ViewRules converts the list of rules.
func ViewRules(rules []inbox.RuleStatus) Rules {
	list := Rules{Rules: make([]Rule, 0, len(rules))}
	for _, r := range rules {
		list.Rules = append(list.Rules, viewRule(r))
	}
	return list
}

func viewRule(r inbox.RuleStatus) Rule {
	v := Rule{
		Name: r.Key, Target: r.Target, Source: optional(r.Source), Match: strings.Split(r.Match, "\n"), Where: optional(r.Where),
		Rate: optional(r.Rate), State: r.State(),
		PausedBy: optional(r.PausedBy), PausedAt: optional(r.PausedAt), Circuit: "closed", FailingSince: optional(r.FailingSince),
		Backlog:  Backlog{r.Open, r.Dead, optional(r.Oldest)},
		LastHour: Attempts{r.Attempts, r.Failures},
	}
	if r.CircuitOpen {
		v.Circuit = "open"
	}
	if !r.Last.At.IsZero() {
		v.LastAnswer = &Answer{r.Last.At, optional(r.Last.Status), optional(r.Last.Error)}
	}
	return v
}

func (h *handler) rules(w http.ResponseWriter, r *http.Request) {
	from, limit, err := parseRulesPage(r.URL.RawQuery)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	rules, err := h.admin.ListRules(r.Context())
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	from = min(from, len(rules))
	end := min(from+limit, len(rules))
	page := RulesPage{Rules: ViewRules(rules[from:end])}
	if end < len(rules) {
		next := strconv.Itoa(end)
		page.Cursor = &next
	}
	writeJSON(w, http.StatusOK, page)
}

// parseRulesPage parses the cursor of a page of rules, the number of rules before it, and
// its limit.
func parseRulesPage(raw string) (from, limit int, err error) {
	q, err := parseQuery(raw)
	if err != nil {
		return 0, 0, err
	}
	page := inbox.Query{Before: q.Before, Limit: q.Limit}
	if q != page {
		return 0, 0, inbox.ErrQuery.WithField("cursor", "and limit are the only parameters of the list of rules")
	}
	if q.Limit == 0 {
		q.Limit = inbox.MaxPage
	}
	return int(min(q.Before, math.MaxInt32)), q.Limit, nil
}

func (h *handler) pause(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := h.admin.PauseRule(r.Context(), name); err != nil {
		h.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, Pause{name, true})
}

func (h *handler) resume(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := h.admin.ResumeRule(r.Context(), name); err != nil {
		h.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, Pause{name, false})
}
