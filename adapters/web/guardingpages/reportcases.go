package guardingpages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// reportCasePages lets admins decide on reports.
func (p *Pages) reportCasePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(web.ReportsPath, p.ForAdmins(p.reports)).InMenu(25, "Reports", ""), web.Get(web.ReportCasePath, p.ForAdmins(p.showReportCase)).With("id={report}"),
			web.Get(decidePath, p.ForAdmins(p.showDecision)).With("action=suspend&id={report}"),
			web.Post(decidePath, p.ForAdmins(p.decide)).Restores(web.Restored("Decision", web.Form{Button: "Save", Fields: []web.Field{decisionNote}})),
		},
		Flashes: map[string]string{"decided": "The decision is stored, and those who reported it have been notified."},
	}
}

// reportsView is the queue of reports.
type reportsView struct {
	Open  bool
	Waits web.Waiting
	Cases []web.ReportCase
	More  string
}

// CountedWaiting is what the sidebar counts, too.
func (v reportsView) CountedWaiting() web.Waiting { return v.Waits }

// Tabs are the lists of what waits.
func (v reportsView) Tabs() []web.QueueTab {
	shown := ""
	if v.Open {
		shown = "answer"
	}
	return v.Waits.Tabs(shown)
}

// reports serves GET /dashboard/reports?state=: what waits longest is first.
func (p *Pages) reports(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v := reportsView{Open: r.URL.Query().Get("state") != "done", Waits: p.WaitingFor(r, by)}
	list := p.Market.Moderation.ListResolved
	if v.Open {
		list = p.Market.Moderation.ListOpen
	}
	all, next, err := list(r.Context(), by, web.StaffPageOf(r))
	if err != nil {
		return err
	}
	v.More, v.Cases = web.NextLink(r, next), p.CasesOf(all, v.Open)
	if v.Open {
		if err := p.refuseCases(r, by, v.Cases, all); err != nil {
			return err
		}
	}
	return p.Show(w, r, http.StatusOK, "reports", "Reports", v)
}

// refuseCases says why the viewer may not decide about some of the cases, of which all are the reports.
func (p *Pages) refuseCases(r *http.Request, by user.Caller, cases []web.ReportCase, all []guarding.ReportView) error {
	ruling, err := p.RulingFor(r, by)
	if err != nil {
		return err
	}
	affairs := map[report.Target]user.Affair{}
	for _, v := range all {
		if known, ok := affairs[v.Target]; ok {
			affairs[v.Target] = known.With(v.Affair().Parties...)
		} else {
			affairs[v.Target] = v.Affair()
		}
	}
	for i, c := range cases {
		if refused := c.ExplainRefusal(by.ID, ruling.Check(affairs[c.Target])); refused != nil {
			cases[i].Refusal = web.ErrorMessage(web.LangOf(r), refused)
		}
	}
	return nil
}

// reportView is one report with the open ones about the same target.
type reportView struct {
	web.ReportCase
	Reports []web.ReportCase // this one, and other open ones
	Price   string           // of the book, when it was reported
	Person  string           // the page of the person
	Actions []reportChoice
	Refusal string    // why the viewer may not decide; "": they may
	OrderTo string    // the page of the order that the report names, if the viewer may see it
	Sale    *caseSale // the order, if it is what is reported and the viewer may see it; otherwise nil
}

// caseSale is the order of a case as it is now, with all that both sides have reported about it.
type caseSale struct {
	buying.OrderDetails
	Moments  []caseMoment
	Problems []web.Problem
}

// caseMoment is a step of the order in words.
type caseMoment struct {
	order.Moment
	Text, Name string
}

// saleOf reads the order of a case, which does not lead to itself.
func (p *Pages) saleOf(r *http.Request, by user.Caller, o buying.OrderDetails, shown report.ID) (*caseSale, error) {
	s := &caseSale{OrderDetails: o}
	for _, m := range o.Timeline() {
		s.Moments = append(s.Moments, caseMoment{m, web.StepText(o.OrderView, m.Step), o.NameOf(m.By)})
	}
	var err error
	s.Problems, err = p.ProblemsOf(r, by, o.ID)
	for i := range s.Problems {
		if s.Problems[i].ID == shown {
			s.Problems[i].Case = ""
		}
	}
	return s, err
}

// reportChoice is a decision that an admin can make.
type reportChoice struct {
	Label, To string
	Danger    bool
}

// choice is an action in words.
type choice struct {
	action              report.Action
	label, button, text string
}

// reportChoices are the actions in the order of the buttons, with what the pages about them say.
var reportChoices = []choice{
	{report.Dismiss, "Dismiss", "Dismiss", "Nothing is wrong. A book that reports have unlisted is for sale again."},
	{report.Warn, "Warn", "Send the warning", "The person gets your note by email. A book that reports have unlisted is for sale again."},
	{report.Unlist, "Unlist the book", "Unlist", "The book is unlisted, and only an admin can relist it. The seller gets your note by email."},
	{report.Suspend, "Suspend the person", "Suspend", "The person cannot sign in any more, their books are unlisted, and orders that are not verified are cancelled. They get your note by email."},
}

// problemChoices are those of a report about an order.
var problemChoices = []choice{
	{report.Dismiss, "Close the case", "Close", "Both sides are told that we have looked at it. What becomes of the order is decided on its own page."},
	{report.Warn, "Warn", "Send the warning", "The person gets your note by email, and the case is closed."},
	{report.Suspend, "Suspend the person", "Suspend", reportChoices[3].text},
}

// choicesOf returns the choices for a kind of report.
func choicesOf(k report.Kind) []choice {
	if k == report.Order {
		return problemChoices
	}
	return reportChoices
}

// priceIn writes a stored price as people of a language do; one in another currency stays as it is.
func priceIn(f locale.Format, stored string) string {
	number, code, _ := strings.Cut(stored, " ")
	if amount, err := f.Currency.Parse(number); err == nil && code == f.Currency.Code() {
		return f.Money(amount)
	}
	return stored
}

// showReportCase serves GET /dashboard/reports/report?id=.
func (p *Pages) showReportCase(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	found, open, err := p.Market.Moderation.Get(r.Context(), by, web.IDOf[report.ID](r.URL.Query().Get("id")))
	if err != nil {
		return err
	}
	v := reportView{ReportCase: p.CaseOf(found), Person: personPath(found.About)}
	if found.Seen.Book != nil {
		v.Price = priceIn(p.FormatIn(web.LangOf(r)), found.Seen.Book.Price)
	}
	v.Reports = append(v.Reports, v.ReportCase)
	for _, o := range open {
		if o.ID != found.ID {
			v.Reports = append(v.Reports, p.CaseOf(o))
		}
	}
	if found.Order != 0 {
		if err := p.addSale(r, by, &v); err != nil {
			return err
		}
	}
	refused, err := p.refuseCase(r, by, found, open)
	if err != nil {
		return err
	}
	if refused != nil {
		v.Refusal = web.ErrorMessage(web.LangOf(r), refused)
	}
	for _, c := range choicesOf(found.Target.Kind) {
		if found.Open() && refused == nil && found.CheckAction(c.action) == nil {
			to := decidePath + "?" + url.Values{"id": {found.ID.String()}, "action": {string(c.action)}}.Encode()
			v.Actions = append(v.Actions, reportChoice{c.label, to, c.action == report.Suspend})
		}
	}
	p.Render(w, r, http.StatusOK, "report", web.PageData{Lang: web.LangOf(r), Title: v.Title, Page: v})
	return nil
}

// addSale adds the order that a report names, unless it is of another university.
func (p *Pages) addSale(r *http.Request, by user.Caller, v *reportView) error {
	o, err := p.Market.Orders.Get(r.Context(), by, v.Order)
	if errors.Is(err, order.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v.OrderTo = web.SalePath + "?id=" + o.ID.String()
	if v.Target.Kind == report.Order {
		v.Sale, err = p.saleOf(r, by, o, v.ID)
	}
	return err
}

// refuseCase returns why the viewer may not decide about a report and the open ones about the same
// target; nil if they may.
func (p *Pages) refuseCase(r *http.Request, by user.Caller, found guarding.ReportView, open []guarding.ReportView) (refused, err error) {
	ruling, err := p.RulingFor(r, by)
	affair := found.Affair()
	for _, o := range open {
		affair = affair.With(o.Affair().Parties...)
	}
	return found.ExplainRefusal(by.ID, ruling.Check(affair)), err
}

var decisionNote = web.Field{Name: "note", Label: "Note", Type: "lines", Max: report.MaxNote, Optional: true}

// decisionForm asks for the note of a decision, and begins it with the reason of the report.
func (p *Pages) decisionForm(lang user.Lang, r guarding.ReportView, a report.Action) (web.FormView, error) {
	for _, c := range choicesOf(r.Target.Kind) {
		if c.action != a {
			continue
		}
		note := decisionNote
		note.Optional = a == report.Dismiss
		if a != report.Dismiss && r.Reason != report.Other {
			note.Value = web.Translate(lang, web.ReportReasons[r.Reason])
		}
		about := p.CaseOf(r)
		return web.FormView{
			Head: c.label, Text: c.text,
			Form: web.Form{
				Action: decidePath, Button: c.button, Danger: a == report.Suspend,
				Hidden: []web.Hidden{{Name: "id", Value: r.ID.String()}, {Name: "action", Value: string(a)}}, Fields: []web.Field{note},
			},
			Links: []web.Option{{Value: about.To, Label: "Back to the report"}},
		}, nil
	}
	return web.FormView{}, report.ErrAction
}

// showDecision serves GET /dashboard/reports/decide?id=&action=.
func (p *Pages) showDecision(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	query := r.URL.Query()
	if !query.Has("id") { // after signing in
		return p.Redirect(w, r, web.ReportsPath, "")
	}
	return p.askToDecide(w, r, by, query, nil)
}

// askToDecide shows the form of a decision, again after an error.
func (p *Pages) askToDecide(w http.ResponseWriter, r *http.Request, by user.Caller, chosen url.Values, wrong error) error {
	found, open, err := p.Market.Moderation.Get(r.Context(), by, web.IDOf[report.ID](chosen.Get("id")))
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
	v, err := p.decisionForm(web.LangOf(r), found, a)
	if err != nil {
		return err
	}
	if wrong != nil {
		p.RenderFormError(w, r, v, wrong)
		return nil
	}
	p.RenderForm(w, r, v)
	return nil
}

// decide serves POST /dashboard/reports/decide. A second press of the button is not an error.
func (p *Pages) decide(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	id, a := web.IDOf[report.ID](f.Get("id")), report.Action(f.Get("action"))
	_, err := p.Market.Moderation.Resolve(r.Context(), by, id, a, f.Get("note"))
	if errors.Is(err, report.ErrResolved) {
		if found, _, unknown := p.Market.Moderation.Get(r.Context(), by, id); unknown == nil && found.ResolvedBy == by.ID && found.Action == a {
			err = nil
		}
	}
	if fault.KindOf(err) == fault.Invalid {
		return p.askToDecide(w, r, by, f, err)
	}
	return p.Done(w, r, err, web.ReportsPath, "decided")
}
