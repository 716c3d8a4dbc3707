package e2e_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/user"
)

// look is a page in a state that people see.
type look struct {
	name, path string            // of the picture; with the query
	post       map[string]string // the fields of a form that is submitted to the path, nil for a link
	ready      string            // an expression that is true once a script has filled the page
}

// looks returns all pages by the people who look at them; "" is a visitor.
func (c *campus) looks() map[string][]look {
	return map[string][]look{
		"": c.looksOfVisitors(), "seller": c.looksOfASeller(), "buyer": c.looksOfABuyer(), "admin": c.looksOfAnAdmin(),
		"half": {{name: "login_code", path: "/login/code"}}, "elsewhere": {{name: "auth_code", path: "/auth/code"}},
		"guest":    {{name: "profile_needed", path: "/sell"}, {name: "account_guest", path: "/account"}},
		"newcomer": named("empty_", "/mine", "/wanted", "/cart", "/purchases", "/sales", "/searches", "/mine/import", "/courses", "/courses/sell", "/me"),
		"owner": append(named("", "/dashboard/tidy", "/dashboard/audit", "/dashboard/applications", "/dashboard/work", "/dashboard/people/invite"),
			look{name: "dashboard_application", path: "/dashboard/applications/application?id=" + c.application}),
	}
}

// orderQuery is that of the pages about an order.
func (c *campus) orderQuery(state string) string { return "?id=" + c.orders[state].ID }

// actionQuery is that of the pages about what staff does with an order.
func (c *campus) actionQuery(state string) string {
	return "?" + url.Values{"id": {c.orders[state].BookID}, "sale": {c.orders[state].ID}}.Encode()
}

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
		{name: "help", path: "/help"}, {name: "terms", path: "/terms"}, {name: "privacy", path: "/privacy"},
		{name: "invitation", path: c.links["invitation"]}, {name: "invitation_bad", path: "/invitation"}, {name: "approve", path: c.links["sign_in_approval"]},
		{name: "unsubscribe", path: c.links["match_found"]}, {name: "confirm", path: c.links["verification"]}, {name: "confirm_bad", path: "/api/auth/confirm/x"},
		{name: "undo_email", path: c.links["email_changed"]}, {name: "undo_deletion", path: c.links["account_deletion"]},
		{name: "dev_mail", path: "/dev/mail?to=benedetta@northfield.example.edu"}, {name: "not_found", path: "/nowhere"},
		{name: "not_allowed", path: "/help", post: map[string]string{}},
		{name: "docs", path: "/docs"}, {name: "docs_market", path: "/docs/market"}, {name: "docs_adr", path: "/docs/adr/0011-search"},
		{name: "api_docs", path: "/api/docs", ready: `document.querySelectorAll(".opblock").length > 0`},
		{name: "graphiql", path: "/graphql", ready: `document.querySelector(".graphiql-query-editor .CodeMirror") != null`},
	}
}

func (c *campus) looksOfASeller() []look {
	return append(named("", "/mine", "/sales"),
		look{name: "sale_bought", path: "/order" + c.orderQuery("bought")}, look{name: "sale_delivered", path: "/order" + c.orderQuery("delivered")},
		look{name: "sale_proposed", path: "/order" + c.orderQuery("proposed")}, look{name: "sale_meets", path: "/order" + c.orderQuery("meets")},
		look{name: "courses_sell", path: "/courses/sell"},
		look{name: "sell", path: "/sell"}, look{name: "book_photos", path: "/book/photos?id=" + c.own}, look{name: "sell_filled", path: "/sell?isbn=9783319110790"}, look{name: "book_own", path: "/title?isbn=9783319110790"},
		look{name: "sell_errors", path: "/sell", post: map[string]string{"name": "Calculus", "price": "-3"}},
		look{name: "sell_preview", path: "/sell/preview", post: map[string]string{"name": "Linear Algebra and Its Applications", "course": "MTH 165", "edition": "3",
			"price": "42.50", "condition": "Good", "date": time.Now().UTC().Format(time.DateOnly), "ISBN": "9783319110790", "comments": "Clean pages, my name on the inside cover."}})
}

func (c *campus) looksOfABuyer() []look {
	return append(named("", "/", "/me", "/wanted", "/cart", "/purchases", "/notifications", "/messages", "/messages/blocked", "/account", "/account/security", "/account/email", "/account/export",
		"/account/delete", "/account/confirm", "/account/applications", "/oauth2/end_session"),
		look{name: "conversation", path: "/conversation?id=" + c.talk}, look{name: "conversation_first", path: "/conversation?book=" + c.listed[0]},
		look{name: "conversation_error", path: "/conversation", post: map[string]string{"id": c.talk, "text": " "}},
		look{name: "searches", path: "/searches", post: map[string]string{"q": "<b>chemistry</b>", "condition": "Good", "maxPrice": "60"}},
		look{name: "order_bought", path: "/order" + c.orderQuery("bought")}, look{name: "order_verified", path: "/order" + c.orderQuery("verified")},
		look{name: "order_delivered", path: "/order" + c.orderQuery("delivered")}, look{name: "order_cancelled", path: "/order" + c.orderQuery("cancelled")},
		look{name: "order_refunded", path: "/order" + c.orderQuery("refunded")}, look{name: "order_proposed", path: "/order" + c.orderQuery("proposed")}, look{name: "order_meets", path: "/order" + c.orderQuery("meets")}, look{name: "order_handed_over", path: "/order" + c.orderQuery("settle")},
		look{name: "courses", path: "/courses"}, look{name: "courses_query", path: "/courses?q=organic"}, look{name: "order_slip", path: "/order/slip" + c.orderQuery("bought")},
		look{name: "order_cancel", path: "/order/cancel" + c.orderQuery("bought")}, look{name: "book_buyer", path: "/book?id=" + c.listed[0]},
		look{name: "report", path: "/report?book=" + c.listed[0]}, look{name: "report_again", path: "/report", post: map[string]string{"book": c.own, "reason": "spam"}},
		look{name: "consent", path: c.consent}, look{name: "forbidden", path: "/dashboard"})
}

func (c *campus) looksOfAnAdmin() []look {
	return append(named("", "/dashboard", "/dashboard/books", "/dashboard/orders", "/dashboard/orders/queue", "/dashboard/desks", "/dashboard/places", "/dashboard/courses", "/dashboard/people", "/dashboard/reports"),
		look{name: "dashboard_reports_done", path: "/dashboard/reports?state=done"},
		look{name: "dashboard_report", path: "/dashboard/reports/report?id=" + c.reported}, look{name: "dashboard_report_done", path: "/dashboard/reports/report?id=" + c.decided},
		look{name: "dashboard_decide", path: "/dashboard/reports/decide?action=suspend&id=" + c.reported},
		look{name: "dashboard_book", path: "/dashboard/books/book?id=" + c.own}, look{name: "dashboard_unlist", path: "/dashboard/books/unlist?book=" + c.own},
		look{name: "dashboard_person", path: "/dashboard/people/person?id=3"},
		look{name: "dashboard_order", path: "/dashboard/orders/order" + c.orderQuery("bought")}, look{name: "dashboard_order_meets", path: "/dashboard/orders/order" + c.orderQuery("meets")}, look{name: "dashboard_order_refunded", path: "/dashboard/orders/order" + c.orderQuery("refunded")},
		look{name: "dashboard_confirm", path: "/dashboard/orders/confirm" + c.actionQuery("bought")}, look{name: "dashboard_cancel", path: "/dashboard/orders/cancel" + c.actionQuery("bought")}, look{name: "dashboard_pay", path: "/dashboard/orders/pay" + c.actionQuery("verified")},
		look{name: "dashboard_settle", path: "/dashboard/orders/settle" + c.actionQuery("settle")}, look{name: "dashboard_queue_settle", path: "/dashboard/orders/queue?stage=settle"},
		look{name: "dashboard_review", path: "/dashboard/orders/review?order=" + c.orders["bought"].ID + "&order=" + c.orders["review"].ID},
		look{name: "webhooks", path: "/webhooks"}, look{name: "webhooks_rules", path: "/webhooks/rules"}, look{name: "webhooks_delivery", path: c.delivery},
		look{name: "webhooks_not_found", path: "/webhooks/nowhere"})
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

// notPages are the routes of the pages that show none of their own.
var notPages = []string{
	"/static/", "/robots.txt", "/favicon.ico", "/manifest.webmanifest", "/.well-known/", "/dev/mail.json", "/dev/mail.html",
	"/photos/", "/covers/", "/dashboard/books.csv", "/dashboard/people.csv", "/dashboard/orders.csv", // files
}

// pageRoutes returns the paths of all pages: routes that answer GET and are no file. Those that
// only accept forms redirect.
func pageRoutes(t *testing.T) (paths []string) {
	t.Helper()
	pages, err := web.New(web.Services{
		Identity: &web.Identity{}, Market: &web.Market{}, Discovery: new(finding.Discovery), Invitations: new(auth.Invitations), Approvals: new(auth.Sessions),
		Unsubscriber: new(mailer.Unsubscriber), Deletions: new(auth.Deletions), EmailChanges: new(auth.EmailChanges), Mailbox: noMailbox{},
	}, web.Options{Texts: map[string]web.Text{"help": {}, "terms": {}, "privacy": {}}})
	if err != nil {
		t.Fatal(err)
	}
	paths = []string{"/auth/code"} // where one may sign in elsewhere
	for _, r := range pages.Routes() {
		isFile := slices.ContainsFunc(notPages, func(prefix string) bool { return strings.HasPrefix(r.Path, prefix) })
		if r.Method == http.MethodGet && !isFile && !leadsToParent(r) {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// leadsToParent reports whether a route only redirects people who open the address of a form. The
// handlers of pages panic here, where no use case is.
func leadsToParent(r web.Route) (leads bool) {
	defer func() { _ = recover() }()
	w := httptest.NewRecorder()
	r.Handler(w, httptest.NewRequest(r.Method, r.Path, nil))
	return w.Code == http.StatusSeeOther && w.Header().Get("Location") == path.Dir(r.Path)
}

type noMailbox struct{}

func (noMailbox) ListMails(context.Context, user.Email, int) ([]mailer.Mail, error) { return nil, nil }
func (noMailbox) FindMail(context.Context, int64) (mailer.Mail, bool, error) {
	return mailer.Mail{}, false, nil
}

func TestEveryPageIsInTheListOfCheckedPages(t *testing.T) {
	c := &campus{orders: map[string]sale{}, links: map[string]string{"invitation": "/invitation", "sign_in_approval": "/approve", "match_found": "/unsubscribe",
		"email_changed": "/account/undo-email", "account_deletion": "/account/undo-deletion"}, listed: []string{"1"}}
	shown := map[string]bool{"/oauth2/consent": true} // the address of an authorization request leads there
	for _, looks := range c.looks() {
		for _, l := range looks {
			at, _, _ := strings.Cut(l.path, "?")
			shown[at] = shown[at] || l.post == nil
		}
	}
	for _, at := range pageRoutes(t) {
		if !shown[at] {
			t.Errorf("no test opens %s: add it to the list above", at)
		}
	}
}
