package guardingpages

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// problemPages let the two people of an order report a problem with it, and show their photos.
func (p *Pages) problemPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(web.ProblemPath, p.ForStudents(p.showProblem)).With("id={order}"),
			web.Post(web.ProblemPath, p.ForStudentUploads(p.sendProblem)).WithoutTimeout(),
			web.File("/problem/photos/:id", web.Anonymous(p.serveProblemPhoto)), web.File("/problem/photos/:id/thumb", web.Anonymous(p.serveProblemPhoto)),
		},
		Flashes: map[string]string{
			"problem":        "Thank you. An admin will look at it, and the other side has been told.",
			"problem_photos": "The photos are added.",
		},
	}
}

// problemView is the page on which a problem with an order is reported, or photos are added to the report.
type problemView struct {
	Sale    buying.OrderDetails
	Other   string        // the first name of the other side
	Shown   []web.Problem // what was reported about the order
	Mine    *web.Problem  // the open report of the viewer; nil: none
	Answers bool          // the other side has an open report
	Form    web.Form
	Errors  []string // about photos
	Added   int      // how many of those that were sent with the refused ones
	Left    int      // how many more there may be
}

// problemViewFor reads the page for one of the two people of an order.
func (p *Pages) problemViewFor(r *http.Request, by user.Caller, id string) (problemView, error) {
	o, err := p.Market.Orders.Get(r.Context(), by, web.IDOf[order.ID](id))
	if err != nil {
		return problemView{}, err
	}
	if !o.Involves(by.ID) {
		return problemView{}, order.ErrNotFound
	}
	v := problemView{Sale: o, Other: o.SellerParty.FirstName, Left: report.MaxPhotos}
	if by.ID == o.Seller {
		v.Other = o.BuyerParty.FirstName
	}
	if v.Shown, err = p.ProblemsOf(r, by, o.ID); err != nil {
		return v, err
	}
	for i, one := range v.Shown {
		v.Answers = v.Answers || one.Open() && !one.Mine
		v.Shown[i].Case = "" // admins come from the case
	}
	if v.Mine = web.OpenProblem(v.Shown); v.Mine != nil {
		v.Left = report.MaxPhotos - len(v.Mine.Photos)
		return v, nil
	}
	v.Form = web.Form{Fields: []web.Field{
		{Name: "reason", Label: "What is wrong?", Type: "choice", Options: web.ProblemReasons()},
		{Name: "text", Label: "What has happened?", Type: "lines", Max: report.MaxText},
	}}
	return v, nil
}

// showProblem serves GET /order/problem?id=.
func (p *Pages) showProblem(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if !r.URL.Query().Has("id") { // after signing in again
		return p.Redirect(w, r, "/purchases", "")
	}
	v, err := p.problemViewFor(r, by, r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	return p.renderProblem(w, r, http.StatusOK, v)
}

func (p *Pages) renderProblem(w http.ResponseWriter, r *http.Request, status int, v problemView) error {
	lang := web.LangOf(r)
	p.Render(w, r, status, "problem", web.PageData{Lang: lang, Title: web.Translate(lang, "Report a problem"), Page: v})
	return nil
}

// sendProblem serves POST /order/problem. Browsers send the fields before the files, so that the report is there when
// its photos arrive.
func (p *Pages) sendProblem(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	done, err := p.Market.Uploads.Begin(r.Context(), by.ID)
	if err != nil {
		return err
	}
	defer done()
	sent := problemUpload{pages: p, r: r, by: by, values: url.Values{}}
	err = httpx.ReadParts(w, r, web.MaxPhotoForm, photo.MaxBytes, sent.read)
	if err == nil {
		err = sent.begin()
	}
	if err == nil && sent.refusal == nil {
		flash := "problem"
		if !sent.reported {
			flash = "problem_photos"
		}
		return p.Redirect(w, r, "/order?id="+sent.values.Get("id"), flash)
	}
	if err != nil && !mayRetryProblem(err) {
		return err
	}
	return p.askAgain(w, r, by, sent, err)
}

// mayRetryProblem reports whether the form is shown again with an error.
func mayRetryProblem(err error) bool {
	kind := fault.KindOf(err)
	return web.CanRetry(err) && (kind == fault.Invalid || kind == fault.Conflict || kind == fault.Unavailable || httpx.Status(err) == http.StatusRequestEntityTooLarge)
}

// askAgain shows the form with what was typed and what is wrong.
func (p *Pages) askAgain(w http.ResponseWriter, r *http.Request, by user.Caller, sent problemUpload, wrong error) error {
	v, err := p.problemViewFor(r, by, sent.values.Get("id"))
	if err != nil {
		return err
	}
	lang, cause := web.LangOf(r), sent.refusal
	v.Errors, v.Added = sent.errors, sent.added
	if wrong != nil {
		cause = wrong
		v.Form = v.Form.WithValues(sent.values).WithErrors(lang, wrong)
	}
	httpx.SetRetryAfter(w.Header(), cause)
	return p.renderProblem(w, r, httpx.Status(cause), v)
}

// problemUpload is a form of a problem that is being read.
type problemUpload struct {
	pages    *Pages
	r        *http.Request
	by       user.Caller
	values   url.Values
	report   report.ID // 0 until the fields are read
	reported bool      // by this form
	added    int
	errors   []string // of photos that were refused
	refusal  error    // the first of them
}

// read reads one part of the form.
func (u *problemUpload) read(part httpx.Part) error {
	if part.Name != "photo" {
		u.values.Set(part.Name, string(part.Data))
		return nil
	}
	if err := u.begin(); err != nil {
		return err
	}
	_, err := u.pages.Market.Problems.AddPhoto(u.r.Context(), u.by, u.report, part.Data)
	switch {
	case err == nil:
		u.added++
	case !mayRetryProblem(err):
		return err
	default:
		lang := web.LangOf(u.r)
		u.errors = append(u.errors, web.Translate(lang, "%s was not added.", part.FileName)+" "+web.Translate(lang, httpx.PublicMessage(err)))
		if u.refusal == nil {
			u.refusal = err
		}
	}
	return nil
}

// begin makes the report, or finds that of the viewer to which the photos are added.
func (u *problemUpload) begin() error {
	if u.report != 0 {
		return nil
	}
	id := web.IDOf[order.ID](u.values.Get("id"))
	all, err := u.pages.ProblemsOf(u.r, u.by, id)
	if err != nil {
		return err
	}
	if mine := web.OpenProblem(all); mine != nil {
		u.report = mine.ID
		return nil
	}
	u.report, err = u.pages.Market.Reports.Add(u.r.Context(), u.by, problemDraft(id, u.values))
	u.reported = err == nil
	return err
}

// serveProblemPhoto serves GET /problem/photos/:id and /problem/photos/:id/thumb to the two people of the order and to
// its admins. Only their browsers may store it, and they ask each time whether they still may show it.
func (p *Pages) serveProblemPhoto(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	size := photo.Large
	if len(path) == 4 {
		size = photo.Thumb
	}
	by, _ := httpx.CallerFrom(r.Context())
	found, err := p.Market.Problems.FindPhoto(r.Context(), by, web.IDOf[photo.ID](path[2]))
	var data []byte
	if err == nil {
		data, err = p.Market.Problems.ReadPhoto(r.Context(), found, size)
	}
	if err != nil {
		p.LogFailure(r, r.URL.Path, err)
		httpx.SetRetryAfter(w.Header(), err)
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, httpx.PublicMessage(err), httpx.Status(err))
		return
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data) //nolint:gosec // a JPEG that we have encoded, sent as such and with nosniff
}
