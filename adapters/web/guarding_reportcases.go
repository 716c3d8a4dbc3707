package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// reportCasePages lets admins decide on reports.
func (p *Pages) reportCasePages() feature {
	return feature{
		routes: []*Route{
			get(reportsPath, p.forAdmins(p.reports)).inMenu(50, "Reports", ""), get(reportCasePath, p.forAdmins(p.showReportCase)).with("id={report}"),
			get(decidePath, p.forAdmins(p.showDecision)).with("action=suspend&id={report}"),
			post(decidePath, p.forAdmins(p.decide)).restores(restored("Decision", form{Button: "Save", Fields: []field{decisionNote}})),
		},
		flashes: map[string]string{"decided": "The decision is stored, and those who reported it have been notified."},
	}
}

// reportsView is the queue of reports.
type reportsView struct {
	Open  bool
	Cases []reportCase
	More  string
}

// reports serves GET /dashboard/reports?state=: what waits longest is first.
func (p *Pages) reports(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v := reportsView{Open: r.URL.Query().Get("state") != "done"}
	list := p.Market.Moderation.ListResolved
	if v.Open {
		list = p.Market.Moderation.ListOpen
	}
	all, next, err := list(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	v.More, v.Cases = nextLink(r, next), p.casesOf(all, v.Open)
	return p.show(w, r, http.StatusOK, "reports", "Reports", v)
}

// reportView is one report with the open ones about the same target.
type reportView struct {
	reportCase
	Reports []reportCase // this one, and other open ones
	Person  string       // the page of the person
	Actions []reportChoice
	Refusal string // why the viewer may not decide; "": they may
	OrderTo string // the page of the order that the report names, if the viewer may see it
}

// reportChoice is a decision that an admin can make.
type reportChoice struct {
	Label, To string
	Danger    bool
}

// reportChoices are the actions in the order of the buttons, with what the pages about them say.
var reportChoices = []struct {
	action              report.Action
	label, button, text string
}{
	{report.Dismiss, "Dismiss", "Dismiss", "Nothing is wrong. A book that reports have unlisted is for sale again."},
	{report.Warn, "Warn", "Send the warning", "The person gets your note by email. A book that reports have unlisted is for sale again."},
	{report.Unlist, "Unlist the book", "Unlist", "The book is unlisted, and only an admin can relist it. The seller gets your note by email."},
	{report.Suspend, "Suspend the person", "Suspend", "The person cannot sign in any more, their books are unlisted, and orders that are not verified are cancelled. They get your note by email."},
}

// showReportCase serves GET /dashboard/reports/report?id=.
func (p *Pages) showReportCase(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	found, open, err := p.Market.Moderation.Get(r.Context(), by, idOf[report.ID](r.URL.Query().Get("id")))
	if err != nil {
		return err
	}
	v := reportView{reportCase: p.caseOf(found), Person: personPath(found.About)}
	v.Reports = append(v.Reports, v.reportCase)
	for _, o := range open {
		if o.ID != found.ID {
			v.Reports = append(v.Reports, p.caseOf(o))
		}
	}
	if found.Order != 0 {
		switch _, err := p.Market.Orders.Get(r.Context(), by, found.Order); {
		case err == nil:
			v.OrderTo = salePath + "?id=" + found.Order.String()
		case !errors.Is(err, order.ErrNotFound): // otherwise it is of another university
			return err
		}
	}
	refused, err := p.refuseCase(r, by, found, open)
	if err != nil {
		return err
	}
	if refused != nil {
		v.Refusal = errorMessage(langOf(r), refused)
	}
	for _, c := range reportChoices {
		if found.Open() && refused == nil && found.CheckAction(c.action) == nil {
			to := decidePath + "?" + url.Values{"id": {found.ID.String()}, "action": {string(c.action)}}.Encode()
			v.Actions = append(v.Actions, reportChoice{c.label, to, c.action == report.Suspend})
		}
	}
	p.render(w, r, http.StatusOK, "report", pageData{langOf(r), v.Title, v})
	return nil
}

// refuseCase returns why the viewer may not decide about a report and the open ones about the same
// target; nil if they may.
func (p *Pages) refuseCase(r *http.Request, by user.Caller, found guarding.ReportView, open []guarding.ReportView) (refused, err error) {
	ruling, err := p.rulingFor(r, by)
	affair := found.Affair()
	for _, o := range open {
		affair = affair.With(o.Affair().Parties...)
	}
	return found.ExplainRefusal(by.ID, ruling.Check(affair)), err
}

var decisionNote = field{Name: "note", Label: "Note", Type: "lines", Max: report.MaxNote, Optional: true}

// decisionForm asks for the note of a decision, and begins it with the reason of the report.
func (p *Pages) decisionForm(lang user.Lang, r guarding.ReportView, a report.Action) (formView, error) {
	for _, c := range reportChoices {
		if c.action != a {
			continue
		}
		note := decisionNote
		note.Optional = a == report.Dismiss
		if a != report.Dismiss && r.Reason != report.Other {
			note.Value = translate(lang, reportReasons[r.Reason])
		}
		about := p.caseOf(r)
		return formView{
			Head: c.label, Text: c.text,
			Form: form{
				Action: decidePath, Button: c.button, Danger: a == report.Suspend,
				Hidden: []hidden{{"id", r.ID.String()}, {"action", string(a)}}, Fields: []field{note},
			},
			Links: []option{{Value: about.To, Label: "Back to the report"}},
		}, nil
	}
	return formView{}, report.ErrAction
}

// showDecision serves GET /dashboard/reports/decide?id=&action=.
func (p *Pages) showDecision(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	query := r.URL.Query()
	if !query.Has("id") { // after signing in
		return p.redirect(w, r, reportsPath, "")
	}
	return p.askToDecide(w, r, by, query, nil)
}

// askToDecide shows the form of a decision, again after an error.
func (p *Pages) askToDecide(w http.ResponseWriter, r *http.Request, by user.Caller, chosen url.Values, wrong error) error {
	found, open, err := p.Market.Moderation.Get(r.Context(), by, idOf[report.ID](chosen.Get("id")))
	if err != nil {
		return err
	}
	refused, err := p.refuseCase(r, by, found, open)
	if err != nil || refused != nil {
		return cmp.Or(err, refused)
	}
	a := report.Action(chosen.Get("action"))
	if err := found.CheckAction(a); err != nil {
		return err
	}
	if !found.Open() {
		return report.ErrResolved
	}
	v, err := p.decisionForm(langOf(r), found, a)
	if err != nil {
		return err
	}
	if wrong != nil {
		p.renderFormError(w, r, v, wrong)
		return nil
	}
	p.renderForm(w, r, v)
	return nil
}

// decide serves POST /dashboard/reports/decide. A second press of the button is not an error.
func (p *Pages) decide(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	id, a := idOf[report.ID](f.Get("id")), report.Action(f.Get("action"))
	_, err := p.Market.Moderation.Resolve(r.Context(), by, id, a, f.Get("note"))
	if errors.Is(err, report.ErrResolved) {
		if found, _, unknown := p.Market.Moderation.Get(r.Context(), by, id); unknown == nil && found.ResolvedBy == by.ID && found.Action == a {
			err = nil
		}
	}
	if fault.KindOf(err) == fault.Invalid {
		return p.askToDecide(w, r, by, f, err)
	}
	return p.done(w, r, err, reportsPath, "decided")
}
