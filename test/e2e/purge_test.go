package e2e_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// purgedCache is a cache that takes purges and notes their keys.
type purgedCache struct {
	*httptest.Server
	mu   sync.Mutex
	keys map[string]int // how often each was purged
}

func newPurgedCache(t *testing.T) *purgedCache {
	t.Helper()
	c := &purgedCache{keys: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, key := range strings.Fields(r.Header.Get("Surrogate-Key")) {
			c.keys[key]++
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// copies has what a visitor gets at each path.
type copies map[string]response

type response struct {
	state  string // what a visitor would notice: the status and, for the body, the ETag
	keys   []string
	public bool
}

// onlooker reads all public responses, and finds those that pages name.
type onlooker struct {
	t     *testing.T
	url   string
	cache *purgedCache
	paths map[string]bool
}

var namedPaths = regexp.MustCompile(`/book\?id=\d+|/title\?isbn=\d+|/photos/\d+(?:/thumb)?|/covers/\d+/[0-9a-f]+`)

func (v *onlooker) read(path string) response {
	v.t.Helper()
	answer, body := exchange(v.t, "GET", v.url+path, "")
	for _, found := range namedPaths.FindAllString(body, -1) {
		v.paths[found] = true
	}
	return response{
		state: answer.Status + " " + answer.Header.Get("ETag"), keys: strings.Fields(answer.Header.Get("Surrogate-Key")),
		public: strings.Contains(answer.Header.Get("Cache-Control"), "s-maxage"),
	}
}

// readAll reads until no page names a path that has not been read.
func (v *onlooker) readAll() copies {
	v.t.Helper()
	all := copies{}
	for len(all) < len(v.paths) {
		for _, path := range slices.Sorted(maps.Keys(v.paths)) {
			if _, done := all[path]; !done {
				all[path] = v.read(path)
				if strings.HasPrefix(path, "/book?id=") {
					v.paths["/api/books/getBook/"+strings.TrimPrefix(path, "/book?id=")] = true
				}
			}
		}
	}
	for path, r := range all {
		if r.public && !slices.Contains(r.keys, "octavo") || !r.public && len(r.keys) > 0 {
			v.t.Errorf("%s: public is %v, and its keys are %q", path, r.public, r.keys)
		}
	}
	return all
}

// purges does something and fails unless the copies of all that changes are purged. It returns
// the paths of what has changed.
func (v *onlooker) purges(what string, do func()) (changed []string) {
	v.t.Helper()
	before := v.readAll()
	v.cache.mu.Lock()
	clear(v.cache.keys)
	v.cache.mu.Unlock()
	do()
	for path, was := range before {
		if was.public && v.read(path).state != was.state {
			changed = append(changed, path)
		}
	}
	stale := slices.Clone(changed)
	poll.Until(func() bool {
		stale = slices.DeleteFunc(stale, func(path string) bool { return v.cache.purged(before[path].keys) })
		return len(stale) == 0
	})
	for _, path := range stale {
		v.t.Errorf("%s: the copy of %s with the keys %q stays in the cache", what, path, before[path].keys)
	}
	return changed
}

func (c *purgedCache) purged(keys []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(keys, func(k string) bool { return c.keys[k] > 0 })
}

// submit sends a form of the pages.
func submit(t *testing.T, c e2e.Client, path string, fields ...string) {
	t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Add(fields[i], fields[i+1])
	}
	answer, body := exchange(t, "POST", c.URL+path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Cookie", "octavo_access="+c.Token, "Sec-Fetch-Site", "same-origin")
	if answer.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s with %v is answered with %d: %s", path, values, answer.StatusCode, body)
	}
}

// purgedMarket is a market behind a cache, with books of Ada and Ben: two with the same ISBN, and two
// without one but with the same name.
type purgedMarket struct {
	*e2e.Server
	onlooker
	ada, ben, eve, dean            e2e.Client
	algebra, twin, namesake, other string
}

func newPurgedMarket(t *testing.T) *purgedMarket {
	t.Helper()
	cache := newPurgedCache(t)
	s := e2e.StartWith(t, []string{"CACHE_PURGE_URL=" + cache.URL, "REPORT_THRESHOLD=1"})
	m := &purgedMarket{Server: s, ada: s.Student("ada@campus.edu", "Ada"), ben: s.Student("ben@campus.edu", "Ben"), eve: s.Student("eve@campus.edu", "Eve"), dean: s.Student("dean@campus.edu", "Dean")}
	s.Promote("dean@campus.edu", "owner")
	m.algebra = m.ada.Post(t, "Linear Algebra", "MTH 165", "ISBN", isbnOfAlgebra)
	m.twin = m.ben.Post(t, "Linear Algebra, a twin", "MTH 165", "ISBN", isbnOfAlgebra)
	m.namesake = m.ben.Post(t, "Linear Algebra", "MTH 235")
	m.other = m.ada.Post(t, "Linear Algebra", "MTH 236")
	m.onlooker = onlooker{t, s.URL, cache, map[string]bool{}}
	for _, path := range []string{
		"/", "/?q=algebra", "/?course=MTH+165", "/?condition=good&sort=price", "/help", "/api/books/getAllBooks", "/api/books/getAllBooks?course=MTH+235",
		"/api/books/getBooksNoToken/100/0", "/api/books/search/public/algebra", "/title?isbn=" + isbnOfAlgebra, "/title?isbn=" + isbnOfOptics,
		"/book?id=" + m.algebra, "/book?id=" + m.twin, "/book?id=" + m.namesake, "/book?id=" + m.other,
	} {
		m.paths[path] = true
	}
	return m
}

const isbnOfAlgebra, isbnOfOptics = "9780980232776", "9780133977226"

// api returns a call that must succeed.
func (m *purgedMarket) api(c e2e.Client, status int, path string, body any) func() {
	return func() {
		m.t.Helper()
		c.Must(m.t, status, "POST", path, body)
	}
}

type object = map[string]any

func TestWhateverAVisitorWouldSeeChangeIsPurgedFromTheCache(t *testing.T) {
	t.Parallel()
	m := newPurgedMarket(t)
	one := object{"bookId": m.algebra}
	var photo bookPhoto
	for _, change := range []struct {
		what string
		do   func()
		path string // one that changes; the test notices more
	}{
		{"a book is posted", func() { m.eve.Post(t, "Linear Algebra", "MTH 999", "ISBN", isbnOfAlgebra) }, "/book?id=" + m.twin},
		{"books are imported", func() { m.importBook("Optics", isbnOfOptics) }, "/"},
		{"the price changes", m.api(m.ada, 200, "/api/books/updateBook", object{"bookId": m.algebra, "price": 17}), "/title?isbn=" + isbnOfAlgebra},
		{"the ISBN changes", m.api(m.ben, 200, "/api/books/updateBook", object{"bookId": m.twin, "ISBN": isbnOfOptics}), "/title?isbn=" + isbnOfOptics},
		{"the title changes", m.api(m.ben, 200, "/api/books/updateBook", object{"bookId": m.namesake, "name": "Abstract Nonsense"}), "/book?id=" + m.other},
		{"a photo is added", func() { photo = m.addsPhoto(m.ada, m.algebra) }, "/book?id=" + m.algebra},
		{"the seller gets another name", m.api(m.ada, 200, "/api/auth/updateProfile", object{"firstName": "Adelheid"}), "/title?isbn=" + isbnOfAlgebra},
		{"a book is unlisted", m.api(m.ada, 200, "/api/books/deleteBook", one), "/book?id=" + m.algebra},
		{"a book is relisted", m.api(m.ada, 200, "/api/books/reactivateBook", one), "/"},
		{"an admin unlists a book", func() {
			submit(t, m.dean, "/dashboard/books/unlist", "book", m.algebra, "reason", "A page is missing.")
		}, "/book?id=" + m.algebra},
		{"an admin relists a book", func() { submit(t, m.dean, "/dashboard/books/relist", "id", m.algebra) }, "/"},
		{"a photo is removed", func() { m.api(m.ada, 200, "/api/books/removePhoto", object{"photoId": photo.ID})() }, "/book?id=" + m.algebra},
		{"a book is bought", m.api(m.eve, 201, "/api/books/checkoutCart", object{"bookIds": []string{m.algebra}}), "/book?id=" + m.algebra},
		{"the sale is cancelled", m.api(m.dean, 200, "/api/dashboard/cancelTransaction", object{"bookId": m.algebra, "reason": "It is torn."}), "/"},
	} {
		changed := m.purges(change.what, change.do)
		if !slices.Contains(changed, change.path) {
			t.Errorf("%s: %s does not change, but %q", change.what, change.path, changed)
		}
	}
}

// A sale changes the pages of other books of its seller and of its kind.
func TestWhatASaleSaysAboutOthersIsPurgedFromTheCache(t *testing.T) {
	t.Parallel()
	m := newPurgedMarket(t)
	other := m.ada.Post(t, "Topology", "MTH 440")
	m.paths["/book?id="+other] = true
	var orders [3]string
	for i, buyer := range []e2e.Client{m.ben, m.eve, m.dean} {
		sold := object{"bookId": m.ada.Post(t, "Linear Algebra", "MTH 165", "ISBN", isbnOfAlgebra)}
		m.api(buyer, 201, "/api/books/checkoutCart", object{"bookIds": []any{sold["bookId"]}})()
		m.api(m.dean, 200, "/api/dashboard/confirmBook", sold)()
		changed := m.purges("a sale is delivered", m.api(m.dean, 200, "/api/dashboard/setBookPaid", sold))
		if !slices.Contains(changed, "/book?id="+other) || i == 2 && !slices.Contains(changed, "/book?id="+m.twin) {
			t.Errorf("sale %d changes %q", i+1, changed)
		}
		var all []struct{ ID string }
		buyer.Must(t, 200, "GET", "/api/user/getOrders", nil).Data(t, &all)
		orders[i] = all[0].ID
	}
	for i, buyer := range []e2e.Client{m.ben, m.eve, m.dean} { // others see it when three have rated
		changed := m.purges("a sale is rated", m.api(buyer, 200, "/api/user/rateOrder", object{"orderId": orders[i], "asDescribed": true}))
		if i == 2 && !slices.Contains(changed, "/book?id="+other) {
			t.Errorf("the ratings change %q", changed)
		}
	}
	m.mayHide()
	var about struct{ ID string }
	report := func() {
		m.ben.Must(t, 201, "POST", "/api/user/report", object{"bookId": other, "reason": "spam"}).Data(t, &about)
	}
	if changed := m.purges("reports hide a book", report); !slices.Contains(changed, "/book?id="+other) {
		t.Errorf("the report changes %q", changed)
	}
	changed := m.purges("an admin warns the seller", m.api(m.dean, 200, "/api/dashboard/resolveReport", object{"reportId": about.ID, "action": "warn", "note": "Do not."}))
	if !slices.Contains(changed, "/book?id="+m.algebra) {
		t.Errorf("the decision changes %q", changed)
	}
}

// mayHide lets Ben's reports count for REPORT_THRESHOLD: he has traded with Ada, and now with Eve,
// and all of that was a week ago.
func (m *purgedMarket) mayHide() {
	m.t.Helper()
	sold := object{"bookId": m.eve.Post(m.t, "Statics", "MTH 170")}
	m.api(m.ben, 201, "/api/books/checkoutCart", object{"bookIds": []any{sold["bookId"]}})()
	m.api(m.dean, 200, "/api/dashboard/confirmBook", sold)()
	m.api(m.dean, 200, "/api/dashboard/setBookPaid", sold)()
	db := openBesideTheProgram(m.t, filepath.Join(m.DataDir, "octavo.db"))
	week := 7 * 24 * time.Hour
	if _, err := db.ExecContext(m.t.Context(), "UPDATE orders SET delivered_at = delivered_at - ? WHERE status = 3", week.Microseconds()); err != nil {
		m.t.Fatal(err)
	}
}

func TestWhatLeavesWithItsSellerIsPurgedFromTheCache(t *testing.T) {
	t.Parallel()
	m := newPurgedMarket(t)
	m.addsPhoto(m.ben, m.twin)
	suspend := func() {
		var who struct{ ID string }
		m.ben.Must(t, 200, "GET", "/api/user/getUserData", nil).Data(t, &who)
		if _, code := m.dean.GraphQL(t, `mutation ($id: ID!) { suspendUser(userId: $id, reason: "Fraud.") { id } }`, object{"id": who.ID}); code != "" {
			t.Fatal(code)
		}
	}
	if changed := m.purges("a seller is suspended", suspend); !slices.Contains(changed, "/book?id="+m.twin) {
		t.Errorf("a suspension changes %q", changed)
	}
	expire := m.api(m.dean, 200, "/api/dashboard/deactivateBooks", object{"olderThanDays": 0})
	if changed := m.purges("old listings are unlisted", expire); !slices.Contains(changed, "/book?id="+m.algebra) {
		t.Errorf("expiry changes %q", changed)
	}
}

func (m *purgedMarket) addsPhoto(c e2e.Client, book string) bookPhoto {
	m.t.Helper()
	_, p, err := addPhoto(c, book, aPicture(m.t))
	if err != nil {
		m.t.Fatal(err)
	}
	return p
}

// importBook imports a book of Ben and waits for it.
func (m *purgedMarket) importBook(name, isbn string) {
	t := m.t
	t.Helper()
	file := "name,edition,course,price,condition,date,ISBN\n" + name + ",1,PHY 143,30.00,good,2026-09-07," + isbn + "\n"
	answer, err := importFile(m.ben, file)
	if err != nil {
		t.Fatal(err)
	}
	if !poll.Until(func() bool {
		list := m.anyone().Must(t, 200, "GET", "/api/books/getBooksNoToken/100/0", nil)
		return strings.Contains(string(list.Body), isbn)
	}) {
		t.Fatalf("the import is not there: %d %s", answer.Status, answer.Body)
	}
}

func (m *purgedMarket) anyone() e2e.Client { return e2e.Client{URL: m.URL} }

func TestResponsesCarryKeysOnlyIfACacheIsPurged(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	id := s.Student("ada@campus.edu", "Ada").Post(t, "Linear Algebra", "MTH 165")
	for _, path := range []string{"/", "/book?id=" + id, "/api/books/getAllBooks", "/api/books/getBook/" + id} {
		r, _ := exchange(t, "GET", s.URL+path, "")
		for name := range r.Header {
			if strings.Contains(name, "Key") || strings.Contains(name, "Tag") && name != "Etag" {
				t.Errorf("%s carries %s", path, name)
			}
		}
	}
}
