package findingpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

type titlePageView struct {
	List   listView
	ISBN   book.ISBN
	Like   *market.BookView // a copy for sale, maybe not one that the filter lets through
	Grades []gradeLink
	Social social
}

// gradeLink is a condition that copies have, and the path of the list of them.
type gradeLink struct {
	finding.GradeSummary
	Path string
}

// showTitle serves GET /title?isbn=: all copies of a title.
func (p *Pages) showTitle(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v := titlePageView{List: p.listViewOf(r, filterForm)}
	filter, err := filterOf(v.List.values, p.Currency)
	if err != nil {
		return err
	}
	page, err := p.Market.Discovery.Title(r.Context(), by, r.URL.Query().Get("isbn"), filter, market.Page{Limit: frontBooks, Cursor: web.PageOf(r).Cursor})
	if err != nil {
		return err
	}
	p.fill(&v.List, r, page)
	p.lookElsewhere(r, &v.List, filter, func(f finding.Filter, at market.Page) (finding.TitlePage, error) {
		return p.Market.Discovery.Title(r.Context(), by, string(page.ISBN), f, at)
	})
	v.ISBN, v.Like = page.ISBN, page.Like
	v.List.Request = requestPath(string(page.ISBN), v.List.values)
	for _, g := range page.Grades {
		v.Grades = append(v.Grades, gradeLink{g, v.List.pathWith(r, v.List.values, "condition", g.Condition.String())})
	}
	lang, title := web.LangOf(r), "ISBN "+string(page.ISBN)
	if v.Like != nil {
		title = v.Like.Name
		v.List.Request = requestFor(v.Like.Book)
	}
	v.Social = p.socialOf(title, web.Translate(lang, "Used copies from students"), "/title?isbn="+string(page.ISBN))
	p.Share(w, "/title?isbn="+string(page.ISBN), market.TitleKeys(page.ISBN))
	p.Render(w, r, http.StatusOK, "title", web.PageData{Lang: lang, Title: title, Page: v})
	return nil
}
