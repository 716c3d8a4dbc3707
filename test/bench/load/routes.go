package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// routes prepares requests for the routes that people use: of the JSON API, the pages and the auth
// service. Where a route depends on a book, a person or an order, there are many in turn.
func routes(address string) ([]work, error) {
	c := client{url: "http://" + address}
	p := &people{client: c}
	if err := p.find(); err != nil {
		return nil, err
	}
	return slices.Concat(p.public(), p.students(), p.admins(), p.pages(), p.adminPages(), p.graph(), p.writes()), nil
}

// people are who and what the requests are about.
type people struct {
	client
	owner, admin string   // tokens
	tokens       []string // of students
	books        []listed
	cursor       string
	ids          []string // of people
	orders       []string // of the owner
	university   string
}

// studentsSignedIn is how many students send requests: each costs a sign-in.
const studentsSignedIn = 6

func (p *people) find() (err error) {
	if p.owner, err = p.signIn(seller); err != nil {
		return err
	}
	if p.admin, err = p.signIn(buyer); err != nil {
		return err
	}
	var users []struct{ ID, Email, University string }
	if _, err = p.do("GET", "/api/dashboard/getUsers?limit=100", p.owner, nil, &users); err != nil {
		return err
	}
	for _, u := range users {
		p.ids = append(p.ids, u.ID)
		p.university = u.University
		if len(p.tokens) == studentsSignedIn || u.Email == seller || u.Email == buyer {
			continue
		}
		token, err := p.signIn(u.Email)
		if err != nil {
			return err
		}
		p.tokens = append(p.tokens, token)
	}
	var orders []struct{ ID string }
	if _, err = p.do("GET", "/api/dashboard/getTransactions?limit=100", p.owner, nil, &orders); err != nil {
		return err
	}
	for _, o := range orders {
		p.orders = append(p.orders, o.ID)
	}
	p.books, p.cursor, err = p.walk(p.admin, 2000)
	if err == nil && (len(p.tokens) == 0 || len(p.orders) == 0) {
		err = errors.New("there are too few people; fill the database with octavo demo")
	}
	return err
}

func query(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + q.Encode()
}

// ofBooks returns a route for every book.
func (p *people) ofBooks(name string, path func(listed) string) work {
	all := make([]request, 0, len(p.books))
	for _, b := range p.books {
		all = append(all, get(path(b), ""))
	}
	return inTurn(name, http.StatusOK, all)
}

// ofStudents returns a route for every student who is signed in.
func (p *people) ofStudents(name, path string) work {
	all := make([]request, 0, len(p.tokens))
	for _, t := range p.tokens {
		all = append(all, get(path, t))
	}
	return inTurn(name, http.StatusOK, all)
}

func (p *people) public() []work {
	const list, search = "/api/books/getAllBooks", "/api/books/search/public/"
	one := func(name, path string) work { return always(name, get(path, "")) }
	return []work{
		one("books: newest", list+"?limit=20"),
		one("books: after 2,000, by cursor", list+"?limit=20&cursor="+p.cursor),
		one("books: after 100,000, by limit/skip", "/api/books/getBooksNoToken/20/100000"),
		one("books: by price", query(list, "limit", "20", "sort", "price")),
		one("books: by price, descending", query(list, "limit", "20", "sort", "-price")),
		one("books: of a university", query(list, "limit", "20", "university", p.university)),
		one("books: of a university, by price", query(list, "limit", "20", "university", p.university, "sort", "price")),
		one("books: university, condition, price", query(list, "limit", "20", "university", p.university, "condition", "Poor", "minPrice", "50", "maxPrice", "52")),
		p.ofBooks("books: of a course", func(b listed) string { return query(list, "limit", "20", "course", b.Course) }),
		one("search: common word", search+"introduction?limit=20"),
		one("search: two common words", search+"concise%20guide?limit=20"),
		one("search: three common words", search+"theory%20and%20practice?limit=20"),
		one("search: two words without a common book", search+"calculus%20microbiology?limit=20"),
		one("search: word, university, condition, price", query(search+"in", "limit", "20", "university", p.university, "condition", "Poor", "minPrice", "50", "maxPrice", "52")),
		one("search: word, by price", query(search+"introduction", "limit", "20", "sort", "price")),
		one("search: misspelled", search+"introdoction?limit=20"),
		one("search: nothing found", search+"xyzzyplugh?limit=20"),
		p.ofBooks("search: title", func(b listed) string { return search + url.PathEscape(b.Name) + "?limit=20" }),
		p.ofBooks("search: course", func(b listed) string { return search + url.PathEscape(b.Course) + "?limit=20" }),
		p.ofBooks("search: ISBN", func(b listed) string { return search + url.PathEscape(b.isbnOrUnknown()) + "?limit=20" }),
		p.ofBooks("one book", func(b listed) string { return "/api/books/getBook/" + b.ID }),
		p.ofBooks("price hint: ISBN", func(b listed) string { return query("/api/books/priceHint", "ISBN", b.isbnOrUnknown()) }),
		p.ofBooks("price hint: course", func(b listed) string { return query("/api/books/priceHint", "course", b.Course) }),
		p.ofBooks("price hint: title", func(b listed) string { return query("/api/books/priceHint", "name", b.Name) }),
	}
}

// isbnOrUnknown is the ISBN of the book, or one that no book has.
func (b listed) isbnOrUnknown() string {
	if b.ISBN != "" {
		return b.ISBN
	}
	return "9780000000002"
}

func (p *people) students() []work {
	works := []work{p.ofStudents("books: newest, signed in", "/api/books/getAllBooks?limit=20")}
	for _, path := range []string{
		"books/getUsersPosts", "books/getUserMatches", "books/exportMyBooks", "user/getOrders", "user/getRequests", "user/getCartItems", "user/getPurchasedBooks", "user/getSoldBooks",
		"user/getUserData", "user/getUserStatistics", "user/getNotifications", "user/getUnreadCount", "user/getConversations", "user/getBlocked",
		"user/getCourseTerms", "user/getMyCourses", "user/getUsedBooks", "user/getSavedSearches",
	} {
		works = append(works, p.ofStudents(path[strings.Index(path, "/")+1:], "/api/"+path))
	}
	var suggest, sellers []request
	for _, b := range p.books {
		suggest = append(suggest, get(query("/api/books/suggest", "ISBN", b.isbnOrUnknown()), p.tokens[0]))
		sellers = append(sellers, get("/api/books/getSeller/"+b.ID, p.tokens[0]))
	}
	return append(works, inTurn("suggest", http.StatusOK, suggest), inTurn("getSeller", http.StatusOK, sellers))
}

func (p *people) admins() []work {
	one := func(name, path string) work { return always("admin: "+name, get("/api/dashboard/"+path, p.owner)) }
	works := []work{
		one("statistics", "getStatistics"), one("people", "getUsers"), one("people: part of an email", "getUsers?search=nakamura"), one("people: two letters", "getUsers?search=zq"),
		one("people: nobody", "getUsers?search=xyzzyplugh"), one("orders", "getTransactions"), one("orders: by title", "getTransactions?search=topology"),
		one("orders: by a rare name", "getTransactions?search=tordale77"), one("orders: nothing found", "getTransactions?search=xyzzyplugh"),
		one("orders: placed, by title", "getTransactions?status=1&search=topology"), one("reports", "getReports"), one("places", "getMeetingPlaces"),
		one("course lists", "getCourseLists"), one("audit log", "getAuditLog"),
	}
	for _, status := range []string{"1", "2", "3", "-1"} {
		works = append(works, one("orders in status "+status, "getTransactions?status="+status))
	}
	for _, status := range []string{"0", "1", "2", "3", "5"} {
		works = append(works, one("books in status "+status, "getBooksWithStatus/"+status))
	}
	return works
}

func (p *people) pages() []work {
	works := []work{
		always("page /", get("/", "")), always("page /?q", get("/?q=introduction", "")),
		always("page / with filters", get(query("/", "university", p.university, "condition", "Good", "maxPrice", "60"), "")),
		p.ofBooks("page /book", func(b listed) string { return query("/book", "id", b.ID) }),
		p.ofBooks("page /title", func(b listed) string { return query("/title", "isbn", b.isbnOrUnknown()) }).accepting(http.StatusNotFound),
		always("page /help", get("/help", "")), always("page /login", get("/login", "")),
	}
	for _, path := range []string{"/", "/me", "/mine", "/wanted", "/cart", "/purchases", "/sales", "/searches", "/notifications", "/messages", "/courses", "/courses/sell", "/sell", "/account", "/account/security"} {
		works = append(works, p.ofStudents("page "+path+", signed in", path))
	}
	return works
}

func (p *people) adminPages() []work {
	var works []work
	for _, path := range []string{
		"/dashboard", "/dashboard?university=" + url.QueryEscape(p.university), "/dashboard/books", "/dashboard/orders", "/dashboard/orders?search=topology", "/dashboard/orders/queue", "/dashboard/desks", "/dashboard/places",
		"/dashboard/courses", "/dashboard/people", "/dashboard/people?search=nakamura", "/dashboard/reports", "/dashboard/tidy", "/dashboard/tidy?days=300", "/dashboard/audit", "/dashboard/applications",
	} {
		works = append(works, always("page "+path, get(path, p.owner)))
	}
	var persons, orders []request
	for _, id := range p.ids {
		persons = append(persons, get("/dashboard/people/person?id="+id, p.owner))
	}
	for _, id := range p.orders {
		orders = append(orders, get("/dashboard/orders/order?id="+id, p.owner))
	}
	return append(works, inTurn("page /dashboard/people/person", http.StatusOK, persons), inTurn("page /dashboard/orders/order", http.StatusOK, orders))
}

func (p *people) graph() []work {
	ask := func(name, token, q string) work {
		body, _ := json.Marshal(map[string]string{"query": q})
		return always("GraphQL "+name, post("/graphql", token, string(body)))
	}
	return []work{
		ask("me", p.tokens[0], "{ me { id email } }"),
		ask("users", p.owner, "{ users(first: 20) { edges { node { id email } } } }"),
		ask("users, search", p.owner, `{ users(first: 20, search: "nakamura") { edges { node { id email } } } }`),
		ask("users, nobody", p.owner, `{ users(first: 20, search: "xyzzyplugh") { edges { node { id email } } } }`),
		ask("user", p.owner, fmt.Sprintf(`{ user(id: %q) { id email } }`, p.ids[0])),
		ask("invitations", p.owner, "{ invitations { id } }"),
		ask("auditLog", p.owner, "{ auditLog(first: 50) { edges { node { id } } } }"),
		ask("auditLog of a user", p.owner, fmt.Sprintf(`{ auditLog(first: 50, userId: %q) { edges { node { id } } } }`, p.ids[0])),
	}
}

// writes change the database. Checkouts buy other books than those that the reads ask for.
func (p *people) writes() []work {
	var posts, requests, carts, removals, searches, checkouts []request
	for i, b := range p.books {
		token := p.tokens[i%len(p.tokens)]
		posts = append(posts, post("/api/books/postBook", token, b.draft()))
		body, _ := json.Marshal(map[string]string{"name": b.Name, "course": b.Course})
		requests = append(requests, post("/api/books/requestBook", token, string(body)))
		id := fmt.Sprintf(`{"bookId":%q}`, b.ID)
		carts, removals = append(carts, post("/api/user/addToCart", p.admin, id)), append(removals, post("/api/user/removeFromCart", p.admin, id))
		body, _ = json.Marshal(map[string]any{"query": b.Course, "mail": false})
		searches = append(searches, post("/api/user/saveSearch", token, string(body)))
		checkouts = append(checkouts, post("/api/books/checkoutCart", p.admin, `{"bookIds":["`+b.ID+`"],"allowPartial":true}`))
	}
	return []work{
		inTurn("write: post a book", http.StatusCreated, posts),
		inTurn("write: request a book", http.StatusCreated, requests).accepting(http.StatusConflict),
		inTurn("write: add to the cart, remove", http.StatusOK, interleave(carts, removals)).accepting(http.StatusConflict),
		inTurn("write: save a search", http.StatusCreated, searches).accepting(http.StatusConflict),
		inTurn("write: checkout", http.StatusCreated, checkouts).accepting(http.StatusConflict),
	}
}

func interleave(a, b []request) []request {
	all := make([]request, 0, len(a)+len(b))
	for i := range a {
		all = append(all, a[i], b[i])
	}
	return all
}
