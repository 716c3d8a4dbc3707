package guardingpages

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// reportPages lets students report what is wrong.
func (p *Pages) reportPages() web.Feature {
	return web.Feature{
		Routes:  []*web.Route{web.Get(reportPath, p.ForStudents(p.showReport)).With("book={book}"), web.Post(reportPath, p.ForStudents(p.sendReport)).Restores(reportForm)},
		Flashes: map[string]string{"reported": "Thank you. An admin will look at it."},
	}
}

const (
	reportPath = "/report"
	decidePath = web.ReportsPath + "/decide"
)

// targetFields are the names under which pages pass on what is reported.
var targetFields = map[string]report.Kind{"book": report.Book, "person": report.Person, "conversation": report.Conversation}

// targetsOf returns what a query or form names.
func targetsOf(values url.Values) (all []report.Target) {
	for name, kind := range targetFields {
		if values.Has(name) {
			all = append(all, report.Target{Kind: kind, ID: web.IDOf[int64](values.Get(name))})
		}
	}
	return all
}

func reportForm(values url.Values) web.FormView {
	f := web.Form{Action: reportPath, Button: "Report", Hidden: []web.Hidden{{Name: "back", Value: values.Get("back")}}, Fields: []web.Field{
		{Name: "reason", Label: "What is wrong?", Type: "choice"},
		{Name: "text", Label: "What has happened?", Type: "lines", Max: report.MaxText, Optional: true},
	}}
	for _, r := range report.Reasons() {
		f.Fields[0].Options = append(f.Fields[0].Options, web.Option{Value: string(r), Label: web.ReportReasons[r]})
	}
	for name := range targetFields {
		if values.Has(name) {
			f.Hidden = append(f.Hidden, web.Hidden{Name: name, Value: values.Get(name)})
		}
	}
	return web.FormView{Head: "Report", Text: "An admin looks at every report, with the page as it is now. Nobody else learns that you have reported it.", Form: f}
}

// reportFormFor is reportForm that names the book.
func (p *Pages) reportFormFor(r *http.Request, by user.Caller, values url.Values) web.FormView {
	v := reportForm(values)
	if values.Has("book") {
		v = p.nameReportedBook(r, by, values, v)
	}
	return v
}

// nameReportedBook heads the form with the title of a book that the viewer can see.
func (p *Pages) nameReportedBook(r *http.Request, by user.Caller, values url.Values, v web.FormView) web.FormView {
	b, err := p.Market.Catalogue.Get(r.Context(), by, web.IDOf[book.ID](values.Get("book")))
	if err == nil {
		v.Head = web.Translate(web.LangOf(r), "Report %s", web.Quoted(web.LangOf(r), b.Name))
	}
	return v
}

// showReport serves GET /report?book=, ?person= or ?conversation=.
func (p *Pages) showReport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if len(targetsOf(r.URL.Query())) != 1 {
		return p.Redirect(w, r, "/", "")
	}
	p.RenderForm(w, r, p.reportFormFor(r, by, r.URL.Query()))
	return nil
}

// sendReport serves POST /report.
func (p *Pages) sendReport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	_, err := p.Market.Reports.Add(r.Context(), by, draftOf(targetsOf(f), f))
	if err != nil {
		return p.RetryForm(w, r, p.reportFormFor(r, by, f), err)
	}
	return p.Redirect(w, r, f.Get("back"), "reported")
}

// draftOf returns the report about what a form names.
func draftOf(on []report.Target, f url.Values) guarding.ReportDraft {
	return guarding.ReportDraft{Targets: on, Reason: report.Reason(f.Get("reason")), Text: f.Get("text")}
}

// problemDraft returns the report about an order.
func problemDraft(of order.ID, f url.Values) guarding.ReportDraft {
	return draftOf([]report.Target{{Kind: report.Order, ID: int64(of)}}, f)
}
