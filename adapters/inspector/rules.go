package inspector

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/fault"
)

// rulesPerPage is the number of rules of a page.
const rulesPerPage = 50

type rulesView struct {
	Rules             []ruleView
	From, First, Last int // the rules before the page, and the numbers of its own
	All               int
	Previous, Next    string // paths, "" without such a page
	Done, Error       string // the result of a button
}

// rulesFrom is the path of the page that begins after so many rules.
func rulesFrom(from int) string {
	if from <= 0 {
		return rulesPath
	}
	return rulesPath + "?from=" + strconv.Itoa(from)
}

// ruleView is a rule. Its ID is a MAC of the key, because that may contain the URL of the
// target with a secret.
type ruleView struct {
	inbox.RuleStatus
	ID, Name, State, Matches, Share string
	Pausable, Resumable             bool
	DeadLink                        string
}

// rules serves GET /webhooks/rules.
func (p *Pages) rules(w http.ResponseWriter, r *http.Request, by viewer) error {
	return p.showRules(w, r, by, http.StatusOK, "", p.takeNotice(w, r))
}

func (p *Pages) showRules(w http.ResponseWriter, r *http.Request, by viewer, status int, failure, done string) error {
	all, err := p.admin.ListRules(r.Context())
	if err != nil {
		return err
	}
	v := rulesView{Error: failure, Done: done, All: len(all)}
	from, _ := strconv.Atoi(r.FormValue("from")) // an invalid number is the first page
	if from > 0 && from < len(all) {
		v.From, v.Previous = from, rulesFrom(max(from-rulesPerPage, 0))
	}
	end := min(v.From+rulesPerPage, len(all))
	if end < len(all) {
		v.Next = rulesFrom(end)
	}
	v.First, v.Last = v.From+1, end
	for _, rule := range all[v.From:end] {
		v.Rules = append(v.Rules, p.viewOfRule(rule))
	}
	p.render(w, r, status, "rules", "Rules", by, v)
	return nil
}

func (p *Pages) viewOfRule(r inbox.RuleStatus) ruleView {
	v := ruleView{
		RuleStatus: r, ID: ruleID(r.Key), Name: ruleName(r.Key), State: r.State(), Matches: strings.ReplaceAll(r.Match, "\n", ", "),
	}
	v.Pausable, v.Resumable = r.PausedBy == "", r.PausedBy == inbox.PausedByOperator
	if r.Attempts > 0 {
		v.Share = fmt.Sprintf("%.0f %%", 100*float64(r.Failures)/float64(r.Attempts))
		if r.Failures > 0 && r.Failures*200 < r.Attempts {
			v.Share = "< 1 %"
		}
	}
	values := url.Values{"state": {inbox.Dead.String()}}
	if r.Source != "" {
		values.Set("source", r.Source)
	}
	v.DeadLink = Base + "?" + values.Encode()
	return v
}

// ruleID identifies a rule on its page. Its key may have a URL with a secret.
func ruleID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// pauseRule serves POST /webhooks/rules/pause.
func (p *Pages) pauseRule(w http.ResponseWriter, r *http.Request, by viewer) error {
	return p.changeRule(w, r, by, p.admin.PauseRule, "paused")
}

// resumeRule serves POST /webhooks/rules/resume.
func (p *Pages) resumeRule(w http.ResponseWriter, r *http.Request, by viewer) error {
	return p.changeRule(w, r, by, p.admin.ResumeRule, "resumed")
}

func (p *Pages) changeRule(
	w http.ResponseWriter, r *http.Request, by viewer, change func(context.Context, string) error, notice string,
) error {
	key, err := p.ruleKey(r.Context(), r.PostForm.Get("rule"))
	if err == nil {
		err = change(r.Context(), key)
	}
	if kind := fault.KindOf(err); kind == fault.Conflict || kind == fault.NotFound {
		return p.showRules(w, r, by, httpx.Status(err), httpx.PublicMessage(err), "")
	}
	if err != nil {
		return err
	}
	from, _ := strconv.Atoi(r.PostForm.Get("from"))
	p.redirectWithNotice(w, r, rulesFrom(from), notice)
	return nil
}

// ruleKey finds the key of a rule by its ID.
func (p *Pages) ruleKey(ctx context.Context, id string) (string, error) {
	all, err := p.admin.ListRules(ctx)
	if err != nil {
		return "", err
	}
	for _, rule := range all {
		if ruleID(rule.Key) == id {
			return rule.Key, nil
		}
	}
	return "", inbox.ErrNoRule
}
