package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
)

// Column is a column of a table that the viewer sorts by its link.
type Column struct {
	Label, Link string
	Order       string // the value of aria-sort; "" for columns by which it is not sorted
}

// Sortable is a column by which the rows T of a table can be sorted. Of long lists it sorts
// the rows of one page.
type Sortable[T any] struct {
	name, label string
	compare     func(a, b T) int
}

// SortBy compares rows by a value.
func SortBy[T any, V cmp.Ordered](name, label string, of func(T) V) Sortable[T] {
	return Sortable[T]{name, label, func(a, b T) int { return cmp.Compare(of(a), of(b)) }}
}

// SortRows sorts rows by ?sort=, a column or "-" and a column for descending order, and
// returns the columns with links to the table, whose id is given. The link of a column sorts
// descending first.
func SortRows[T any](r *http.Request, id string, rows []T, keys []Sortable[T]) ([]T, []Column) {
	sorted, columns := slices.Clone(rows), make([]Column, len(keys))
	wanted := r.URL.Query().Get("sort")
	for i, c := range keys {
		columns[i] = Column{Label: c.label, Link: sortLink(r.URL, "-"+c.name, id)}
		switch wanted {
		case c.name:
			columns[i].Order = "ascending"
			slices.SortStableFunc(sorted, c.compare)
		case "-" + c.name:
			columns[i].Order, columns[i].Link = "descending", sortLink(r.URL, c.name, id)
			slices.SortStableFunc(sorted, func(a, b T) int { return c.compare(b, a) })
		}
	}
	return sorted, columns
}

// IsSorted reports whether the viewer has sorted a table.
func IsSorted(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Order != "" })
}

// sortLink returns the address of this page in another order.
func sortLink(u *url.URL, order, id string) string {
	q := u.Query()
	q.Set("sort", order)
	return u.Path + "?" + q.Encode() + "#" + id
}

// RedirectToExport leads to a file of the JSON API with what a page shows, and keeps its filter. It is for a spreadsheet.
func RedirectToExport(w http.ResponseWriter, r *http.Request, operation, filter string) error {
	q := url.Values{"for": {"spreadsheet"}}
	if value := r.URL.Query().Get(filter); value != "" {
		q.Set(filter, value)
	}
	http.Redirect(w, r, "/api/dashboard/"+operation+"?"+q.Encode(), http.StatusSeeOther)
	return nil
}
