package findingpages

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// coursePages is about the courses that the viewer takes.
func (p *Pages) coursePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(coursesPath, p.ForStudents(p.courses)).InMenu(50, "Courses", "the books of your courses: request them, and sell them afterwards"),
			web.Post(coursesPath+"/add", p.ForStudents(p.addCourse)), web.Post(coursesPath+"/remove", p.ForStudents(p.removeCourse)),
			web.Post(coursesPath+"/request", p.ForStudents(p.requestCourses)),
		},
		Flashes: map[string]string{
			"course_added":   "The course is added.",
			"course_removed": "The course is removed.",
			"course_asked":   "The missing books are requested, except those that you have or offer. We notify you when somebody lists one.",
		},
	}
}

// coursesPath is the path of the page on which students choose their courses.
const coursesPath = "/courses"

type coursesView struct {
	List   course.List // of the term; its name is empty if there is none
	Terms  []courseTerm
	Mine   []chosenCourse
	Found  []course.Course // without those of Mine
	Search web.Form
	Query  string
	More   string
	Books  bool // the courses of Mine need books
	None   bool // no course has the words of Query
}

// courseTerm is a link to a term.
type courseTerm struct {
	Name, Path string
	Here       bool
}

// chosenCourse is a course of the viewer, with the copies for sale of its books.
type chosenCourse struct {
	course.Course
	Books []neededBook
}

type neededBook struct {
	course.Book
	Path   string // of the copies for sale; empty: there are none
	Copies market.Count
	Lowest money.Amount
}

var courseSearch = web.Form{Action: coursesPath, Button: "Find courses", UseGet: true, Fields: []web.Field{
	{Name: "q", Label: "Course code or title", Max: book.MaxQuery, Type: "search", Optional: true, Quiet: true},
}}

// termOf returns the term of the query or form.
func termOf(values url.Values) finding.Term {
	return finding.Term{University: values.Get("university"), Name: values.Get("term")}
}

// courses serves GET /courses: the viewer's courses of a term and, with ?q=, others to choose.
func (p *Pages) courses(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	query := r.URL.Query()
	mine, err := p.Market.Courses.Mine(r.Context(), by, termOf(query))
	if err != nil {
		return err
	}
	found, next, err := p.Market.Courses.Find(r.Context(), by, termOf(query), query.Get("q"), web.PageOf(r))
	if err != nil {
		return err
	}
	terms, err := p.Market.Courses.Terms(r.Context(), by, query.Get("university"))
	if err != nil {
		return err
	}
	v := coursesView{List: mine.List, Query: query.Get("q"), More: web.NextLink(r, next), Search: courseSearch.WithValues(query)}
	v.Search.Hidden = []web.Hidden{{Name: "university", Value: mine.List.University}, {Name: "term", Value: mine.List.Term}}
	for _, c := range mine.Courses {
		v.Mine = append(v.Mine, newChosenCourse(c, mine.ForSale))
		v.Books = v.Books || len(c.Books) > 0
	}
	v.None = v.Query != "" && len(found) == 0
	v.Found = slices.DeleteFunc(found, func(c course.Course) bool {
		return slices.ContainsFunc(mine.Courses, func(m course.Course) bool { return m.ID == c.ID })
	})
	for _, t := range terms {
		at := url.Values{"term": {t.Term}, "university": {t.University}}
		v.Terms = append(v.Terms, courseTerm{t.Term, coursesPath + "?" + at.Encode(), t.ID == mine.List.ID})
	}
	return p.Show(w, r, http.StatusOK, "courses", "Courses", v)
}

func newChosenCourse(c course.Course, forSale map[book.ISBN]finding.TitleSummary) chosenCourse {
	out := chosenCourse{Course: c}
	for _, b := range c.Books {
		one := neededBook{Book: b}
		if s, ok := forSale[b.ISBN]; ok {
			one.Path, one.Copies, one.Lowest = "/title?"+url.Values{"isbn": {string(b.ISBN)}}.Encode(), s.Copies, s.Lowest
		}
		out.Books = append(out.Books, one)
	}
	return out
}

// addCourse serves POST /courses/add.
func (p *Pages) addCourse(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.changeCourses(w, r, by, "course_added", func(ids []course.ID, id course.ID) []course.ID { return append(ids, id) })
}

// removeCourse serves POST /courses/remove.
func (p *Pages) removeCourse(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.changeCourses(w, r, by, "course_removed", func(ids []course.ID, id course.ID) []course.ID {
		return slices.DeleteFunc(ids, func(other course.ID) bool { return other == id })
	})
}

// changeCourses changes which courses of a term the viewer has chosen.
func (p *Pages) changeCourses(w http.ResponseWriter, r *http.Request, by user.Caller, flash string, change func([]course.ID, course.ID) []course.ID) error {
	term := termOf(r.PostForm)
	mine, err := p.Market.Courses.Mine(r.Context(), by, term)
	if err != nil {
		return err
	}
	var ids []course.ID
	for _, c := range mine.Courses {
		ids = append(ids, c.ID)
	}
	if err := p.Market.Courses.Choose(r.Context(), by, term, change(ids, web.IDOf[course.ID](r.PostForm.Get("id")))); err != nil {
		return err
	}
	back := url.Values{"term": {term.Name}, "university": {term.University}}
	if q := r.PostForm.Get("q"); q != "" {
		back.Set("q", q)
	}
	return p.Redirect(w, r, coursesPath+"?"+back.Encode(), flash)
}

// requestCourses serves POST /courses/request: it requests the books of all courses of a term.
func (p *Pages) requestCourses(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	mine, err := p.Market.Courses.Mine(r.Context(), by, termOf(r.PostForm))
	if err != nil {
		return err
	}
	var ids []course.ID
	for _, c := range mine.Courses {
		ids = append(ids, c.ID)
	}
	_, err = p.Market.Courses.RequestBooks(r.Context(), by, ids)
	return p.Done(w, r, err, "/wanted", "course_asked")
}
