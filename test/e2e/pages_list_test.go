package e2e_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/test/pages"
)

// look is a page in a state that people see.
type look struct {
	name, path string            // of the picture; with the query
	post       map[string]string // the fields of a form that is submitted to the path, nil for a link
	ready      string            // an expression that is true once a script has filled the page
}

// looks returns all pages by the people who look at them; "" is a visitor. Those that no list has in
// a state of its own are added with the example of their route.
func (c *campus) looks(t *testing.T) map[string][]look {
	t.Helper()
	all := map[string][]look{
		"": c.looksOfVisitors(), "seller": c.looksOfASeller(), "buyer": c.looksOfABuyer(), "admin": c.looksOfAnAdmin(),
		"half": {{name: "login_code", path: "/login/code"}}, "elsewhere": {{name: "auth_code", path: "/auth/code"}},
		"owner": named("owner_", "/dashboard/people"),
		"guest": {{name: "profile_needed", path: "/sell"}, {name: "account_guest", path: "/account"}},
	}
	shown := map[string]bool{"/oauth2/consent": true} // the address of an authorization request leads there
	for _, looks := range all {
		for _, l := range looks {
			at, _, _ := strings.Cut(l.path, "?")
			shown[at] = shown[at] || l.post == nil
		}
	}
	for _, r := range pages.Shown(t) {
		if !shown[r.Path] {
			all[viewers[r.For]] = append(all[viewers[r.For]], c.lookAt(r))
		}
	}
	all["newcomer"] = named("empty_", "/mine", "/wanted", "/cart", "/purchases", "/sales", "/searches", "/mine/import", "/courses", "/courses/sell", "/me")
	return all
}

// viewers are the people who look at pages for an audience.
var viewers = map[web.Audience]string{web.Anybody: "", web.Members: "buyer", web.Students: "buyer", web.Admins: "admin", web.Owners: "owner"}

// lookAt is a page as the example of its route shows it.
func (c *campus) lookAt(r web.Route) look {
	l := named("", r.Path)[0]
	if r.Example != "" {
		l.path += "?" + c.examples().Replace(r.Example)
	}
	return l
}

// examples fills in what the campus has for the names in examples of routes.
func (c *campus) examples() *strings.Replacer {
	pairs := []string{"{own}", c.own, "{conversation}", c.talk, "{report}", c.reported, "{application}", c.application, "{machine}", c.machine, "{person}", "3", "{isbn}", "9783319110790"}
	if len(c.listed) > 0 {
		pairs = append(pairs, "{book}", c.listed[0])
	}
	for name, state := range map[string]string{"order": "bought", "placed": "bought", "verified": "verified", "settle": "settle", "delivered": "delivered"} {
		pairs = append(pairs, "{"+name+"}", c.orders[state].ID, "{"+name+"book}", c.orders[state].BookID)
	}
	return strings.NewReplacer(pairs...)
}

// orderQuery is that of the pages about an order.
func (c *campus) orderQuery(state string) string { return "?id=" + c.orders[state].ID }

func (c *campus) looksOfVisitors() []look {
	return []look{
		{name: "front", path: "/"}, {name: "front_search", path: "/?q=chemistry"}, {name: "front_nothing", path: "/?q=zymurgy+zzz"},
		{name: "front_filters", path: "/?university=" + url.QueryEscape(demoUniversity) + "&condition=good&maxPrice=60"},
		{name: "front_error", path: "/?minPrice=x"},
		{name: "title", path: "/title?isbn=9783319110790"}, {name: "book", path: "/book?id=" + c.listed[0]}, {name: "book_gone", path: "/book?id=999999999999999999"},
		{name: "login", path: "/login"}, {name: "login_mail", path: "/login/mail"}, {name: "signup", path: "/signup"},
		{name: "login_error", path: "/login", post: map[string]string{"email": "nobody@northfield.example.edu", "password": "x", "next": "/"}},
		{name: "signup_errors", path: "/signup", post: map[string]string{"email": "somebody@example.com", "password": "short"}},
		{name: "verify", path: "/verify?email=fresh@northfield.example.edu"}, {name: "resend", path: "/resend"},
		{name: "forgotten", path: "/forgotten"}, {name: "reset", path: "/reset"},
		{name: "federation", path: "/auth/saml/federation?q=university"}, {name: "federation_nothing", path: "/auth/saml/federation?q=nowhere"},
		{name: "help", path: "/help"}, {name: "terms", path: "/terms"}, {name: "privacy", path: "/privacy"}, {name: "accessibility", path: "/accessibility"},
		{name: "invitation", path: c.links["invitation"]}, {name: "invitation_bad", path: "/invitation"}, {name: "approve", path: c.links["sign_in_approval"]},
		{name: "unsubscribe", path: c.links["match_found"]}, {name: "confirm", path: c.links["verification"]}, {name: "confirm_bad", path: "/api/auth/confirm/x"},
		{name: "undo_email", path: c.links["email_changed"]}, {name: "undo_deletion", path: c.links["account_deletion"]},
		{name: "dev_mail", path: "/dev/mail?to=benedetta@northfield.example.edu"}, {name: "not_found", path: "/nowhere"},
		{name: "not_allowed", path: "/help", post: map[string]string{}},
		{name: "docs", path: "/docs"}, {name: "docs_market", path: "/docs/market"}, {name: "docs_adr", path: "/docs/adr/0011-search"},
		{name: "api_docs", path: "/api/docs", ready: `document.querySelectorAll(".opblock").length > 0`},
		{name: "api_docs_operation", path: "/api/docs?open#/books/postBook", ready: `document.querySelector(".opblock.is-open .responses-table") != null`},
		{name: "graphiql", path: "/graphql", ready: `document.querySelector(".graphiql-query-editor .CodeMirror") != null`},
	}
}

func (c *campus) looksOfASeller() []look {
	return append(named("", "/mine", "/sales"),
		look{name: "sale_bought", path: "/order" + c.orderQuery("bought")}, look{name: "sale_delivered", path: "/order" + c.orderQuery("delivered")},
		look{name: "sale_proposed", path: "/order" + c.orderQuery("proposed")}, look{name: "sale_meets", path: "/order" + c.orderQuery("meets")},
		look{name: "courses_sell", path: "/courses/sell"},
		look{name: "sell", path: "/sell"}, look{name: "book_photos", path: "/book/photos?id=" + c.own}, look{name: "crop", path: "/book/photos/crop?size=60&x=20&id=" + c.own}, look{name: "sell_filled", path: "/sell?isbn=9783319110790"}, look{name: "book_own", path: "/title?isbn=9783319110790"},
		look{name: "sell_errors", path: "/sell", post: map[string]string{"name": "Calculus", "price": "-3"}},
		look{name: "sell_preview", path: "/sell/preview", post: map[string]string{"name": "Linear Algebra and Its Applications", "course": "MTH 165", "edition": "3",
			"price": "42.50", "condition": "Good", "date": time.Now().UTC().Format(time.DateOnly), "ISBN": "9783319110790", "comments": "Clean pages, my name on the inside cover."}})
}

func (c *campus) looksOfABuyer() []look {
	return append(named("", "/", "/oauth2/end_session"),
		look{name: "conversation", path: "/conversation?id=" + c.talk}, look{name: "conversation_first", path: "/conversation?book=" + c.listed[0]},
		look{name: "conversation_error", path: "/conversation", post: map[string]string{"id": c.talk, "text": " "}},
		look{name: "searches", path: "/searches", post: map[string]string{"q": "<b>chemistry</b>", "condition": "Good", "maxPrice": "60"}},
		look{name: "order_bought", path: "/order" + c.orderQuery("bought")}, look{name: "order_verified", path: "/order" + c.orderQuery("verified")},
		look{name: "order_delivered", path: "/order" + c.orderQuery("delivered")}, look{name: "order_cancelled", path: "/order" + c.orderQuery("cancelled")},
		look{name: "order_refunded", path: "/order" + c.orderQuery("refunded")}, look{name: "order_proposed", path: "/order" + c.orderQuery("proposed")}, look{name: "order_meets", path: "/order" + c.orderQuery("meets")}, look{name: "order_handed_over", path: "/order" + c.orderQuery("settle")},
		look{name: "order_problem", path: "/order/problem" + c.orderQuery("verified")}, look{name: "order_problem_mine", path: "/order/problem" + c.orderQuery("settle")},
		look{name: "courses", path: "/courses"}, look{name: "courses_query", path: "/courses?q=organic"},
		look{name: "book_buyer", path: "/book?id=" + c.listed[0]},
		look{name: "report_again", path: "/report", post: map[string]string{"book": c.own, "reason": "spam"}},
		look{name: "token", path: "/account/security/tokens", post: map[string]string{"name": "Backup", "openid": "yes", "market": "yes", "expires": "720h"}},
		look{name: "consent", path: c.consent}, look{name: "forbidden", path: "/dashboard"})
}

func (c *campus) looksOfAnAdmin() []look {
	return []look{
		{name: "dashboard_statistics", path: "/dashboard"},
		{name: "dashboard_reports", path: "/dashboard/reports"}, {name: "dashboard_reports_done", path: "/dashboard/reports?state=done"},
		{name: "dashboard_problem", path: "/dashboard/reports/report?id=" + c.problem},
		{name: "dashboard_report", path: "/dashboard/reports/report?id=" + c.reported}, {name: "dashboard_report_done", path: "/dashboard/reports/report?id=" + c.decided},
		{name: "dashboard_book", path: "/dashboard/books/book?id=" + c.own}, {name: "dashboard_unlist", path: "/dashboard/books/unlist?book=" + c.own},
		{name: "dashboard_order", path: "/dashboard/orders/order" + c.orderQuery("bought")}, {name: "dashboard_order_meets", path: "/dashboard/orders/order" + c.orderQuery("meets")},
		{name: "dashboard_order_refunded", path: "/dashboard/orders/order" + c.orderQuery("refunded")},
		{name: "dashboard_queue", path: "/dashboard/orders/queue"}, {name: "dashboard_queue_settle", path: "/dashboard/orders/queue?stage=settle"},
		{name: "dashboard_review", path: "/dashboard/orders/review?order=" + c.orders["bought"].ID + "&order=" + c.orders["review"].ID},
		{name: "people_found", path: "/dashboard/people?search=ada"}, {name: "people_nobody", path: "/dashboard/people?search=zymurgy"},
		{name: "person_delete_other", path: "/dashboard/people/delete", post: map[string]string{"id": "3", "email": "somebody@example.com"}},
		{name: "webhooks", path: "/webhooks"}, {name: "webhooks_rules", path: "/webhooks/rules"}, {name: "webhooks_delivery", path: c.delivery},
		{name: "webhooks_not_found", path: "/webhooks/nowhere"},
	}
}

// named returns pages with pictures that are named for their paths.
func named(prefix string, paths ...string) (all []look) {
	for _, path := range paths {
		all = append(all, look{name: prefix + strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "_"), path: path})
	}
	for i, l := range all {
		if l.path == "/" {
			all[i].name = "front_signed_in"
		}
	}
	return all
}

func TestEveryPageIsVisitedWithWhatItShows(t *testing.T) {
	visited := map[string]bool{}
	for _, looks := range (&campus{orders: map[string]sale{}, links: map[string]string{}, listed: []string{"1"}}).looks(t) {
		for _, l := range looks {
			if strings.Contains(l.path, "{") {
				t.Errorf("the campus has nothing for the example of %s: see examples", l.path)
			}
			at, _, _ := strings.Cut(l.path, "?")
			visited[at] = true
		}
	}
	for _, r := range pages.Shown(t) {
		if !visited[r.Path] && r.Path != "/oauth2/consent" {
			t.Errorf("no test opens %s", r.Path)
		}
	}
}
