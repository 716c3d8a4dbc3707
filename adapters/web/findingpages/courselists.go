package findingpages

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
)

// courseListPages lets admins upload which books courses need.
func (p *Pages) courseListPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(courseListsPath, p.ForAdmins(p.courseLists)).InMenu(70, "Courses", ""),
			web.Post(courseListsPath, p.ForAdminUploads(p.uploadCourses)), web.Post(courseListsPath+"/remove", p.ForAdmins(p.removeCourses)),
		},
		Flashes: map[string]string{
			"courses_saved":   "The courses are saved.",
			"courses_removed": "The courses of this term are removed.",
		},
	}
}

const courseListsPath = "/dashboard/courses"

type courseListsView struct {
	Error   string
	Fields  []web.Field
	Checked *finding.CourseImport // a file with errors, of which nothing was stored; nil: none
	Lines   []web.RejectedLine    // the first of its errors
	Unnamed int                   // further ones
	Lists   []course.List
	More    string
}

// maxShownLines is how many lines with errors the page names.
const maxShownLines = 200

var courseListFields = []web.Field{
	{Name: "university", Label: "University", Max: course.MaxUniversity},
	{Name: "term", Label: "Term", Max: course.MaxTerm, Hint: "Such as 2026-fall. The term that is added last is the present one; uploading it again replaces its courses."},
	{Name: "skip", Label: "Leave out lines with errors", Type: "check", Optional: true},
}

// courseLists serves GET /dashboard/courses.
func (p *Pages) courseLists(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.renderCourseLists(w, r, by, courseListsView{Fields: courseListFields}, nil)
}

func (p *Pages) renderCourseLists(w http.ResponseWriter, r *http.Request, by user.Caller, v courseListsView, refusal error) error {
	lang, status := web.LangOf(r), http.StatusOK
	all, next, err := p.Market.CourseLists.List(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	v.Lists, v.More = all, web.NextLink(r, next)
	v.Fields = web.Form{Fields: v.Fields}.AtCampusOf(by).Fields
	if refusal != nil {
		status = httpx.Status(refusal)
		f := web.Form{Fields: v.Fields}.WithErrors(lang, refusal)
		v.Fields, v.Error = f.Fields, f.Error
	}
	return p.Show(w, r, status, "courselists", "Courses", v)
}

// uploadCourses serves POST /dashboard/courses: it replaces the courses of a term or, if lines are
// wrong and not to be left out, only names them.
func (p *Pages) uploadCourses(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed, file, err := p.readCourseFile(w, r, by)
	v := courseListsView{Fields: web.Form{Fields: courseListFields}.WithValues(typed).Fields}
	of := course.List{University: typed.Get("university"), Term: typed.Get("term")}
	var checked finding.CourseImport
	if err == nil {
		checked, err = p.Market.CourseLists.Import(r.Context(), by, of, file, true)
	}
	if err == nil && checked.Accepted > 0 && (len(checked.Rejected) == 0 || typed.Get("skip") != "") {
		if _, err = p.Market.CourseLists.Import(r.Context(), by, of, file, false); err == nil {
			return p.Redirect(w, r, courseListsPath, "courses_saved")
		}
	}
	switch {
	case err == nil:
		v.Checked = &checked
		for _, line := range checked.Rejected[:min(len(checked.Rejected), maxShownLines)] {
			v.Lines = append(v.Lines, web.NewRejectedLine(line))
		}
		v.Unnamed = len(checked.Rejected) - len(v.Lines)
	case !web.CanRetry(err):
		return err
	}
	return p.renderCourseLists(w, r, by, v, err)
}

// readCourseFile reads the form with the file.
func (p *Pages) readCourseFile(w http.ResponseWriter, r *http.Request, by user.Caller) (typed url.Values, file []byte, err error) {
	typed = url.Values{}
	done, err := p.Market.Uploads.Begin(r.Context(), by.ID)
	if err != nil {
		return typed, nil, err
	}
	defer done()
	err = httpx.ReadParts(w, r, web.MaxImportForm, market.MaxImport, func(part httpx.Part) error {
		if part.Name == "file" {
			file = part.Data
		} else if len(part.Data) <= maxCourseField {
			typed.Set(part.Name, string(part.Data))
		}
		return nil
	})
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		err = fmt.Errorf("%w (%w)", web.ErrImportFile, tooLarge)
	} else if err == nil && (len(file) == 0 || len(file) > market.MaxImport) {
		err = web.ErrImportFile
	}
	return typed, file, err
}

const maxCourseField = 1000 // bytes

// removeCourses serves POST /dashboard/courses/remove. A list that is gone counts as removed.
func (p *Pages) removeCourses(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	of := course.List{University: r.PostForm.Get("university"), Term: r.PostForm.Get("term")}
	if err := p.Market.CourseLists.Remove(r.Context(), by, of); err != nil && !errors.Is(err, course.ErrNoList) {
		return err
	}
	return p.Redirect(w, r, courseListsPath, "courses_removed")
}
