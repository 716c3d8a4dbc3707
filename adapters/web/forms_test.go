package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/user"
)

// breakableMarket and breakableIdentity fail with an error, if there is one, instead of running a
// transaction.
type breakableMarket struct {
	market.Store
	broken *error
}

func (b breakableMarket) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	if *b.broken != nil {
		return *b.broken
	}
	return b.Store.Atomically(ctx, do)
}

type breakableIdentity struct {
	authrooms.Storage
	broken *error
}

func (b breakableIdentity) Atomically(ctx context.Context, do func(context.Context, auth.Stores) error) error {
	if *b.broken != nil {
		return *b.broken
	}
	return b.Storage.Atomically(ctx, do)
}

func breakable(broken *error, change func(*authrooms.Ports, *auth.Config)) func(*authrooms.Ports, *auth.Config) {
	return func(p *authrooms.Ports, c *auth.Config) {
		p.Storage = breakableIdentity{p.Storage, broken}
		if change != nil {
			change(p, c)
		}
	}
}

// typedForm is a form of a page, with what a person types into it.
type typedForm struct {
	action string
	values url.Values
	typed  map[string]string
}

// attr returns an attribute of an element.
func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// controls returns the fields of a form, or of a page.
func controls(root *html.Node) (all []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && slices.Contains([]string{"input", "textarea", "select"}, n.Data) && attr(n, "name") != "" {
			all = append(all, n)
		}
	}
	return all
}

// content is the value of a field as a browser submits it; false if it submits none.
func content(n *html.Node) (string, bool) {
	switch {
	case n.Data == "textarea":
		if n.FirstChild == nil {
			return "", true
		}
		return n.FirstChild.Data, true
	case n.Data == "select":
		for o := range n.Descendants() {
			if o.Data == "option" && attr(o, "value") != "" {
				return attr(o, "value"), true
			}
		}
		return "", true
	case attr(n, "type") == "checkbox":
		return "", false
	}
	return attr(n, "value"), true
}

// textFor returns what a person types into a field; "" for a field that is not for typing, or is never
// shown again.
func textFor(n *html.Node, now time.Time) string {
	name := attr(n, "name")
	switch kind := attr(n, "type"); {
	case n.Data == "select", kind == "hidden", kind == "password", kind == "checkbox", kind == "file", slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "readonly" }), attr(n, "autocomplete") == "one-time-code":
		return ""
	case kind == "email":
		return "typed@campus.edu"
	case kind == "datetime-local":
		return now.Add(26 * time.Hour).Format("2006-01-02T15:04")
	case kind == "date":
		return now.AddDate(0, 0, 3).Format(time.DateOnly)
	case name == "ISBN":
		return "9780306406157"
	case name == "openingHours":
		return "Mo-Fr 08:00-20:00"
	case attr(n, "inputmode") != "":
		return "7"
	case name == "redirect", name == "logout", name == "identifier":
		return "https://typed.example/" + name
	}
	return "Typed " + name
}

// formsOf returns the forms of a page into which people type something.
func formsOf(t *testing.T, p page, now time.Time) (all []typedForm) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data != "form" || attr(n, "method") != "post" || attr(n, "enctype") != "" {
			continue
		}
		f := typedForm{attr(n, "action"), url.Values{}, map[string]string{}}
		for _, field := range controls(n) {
			name := attr(field, "name")
			if attr(field, "type") == "radio" { // somebody chooses the first
				if !f.values.Has(name) {
					f.values.Set(name, attr(field, "value"))
				}
				continue
			}
			if text := textFor(field, now); text != "" {
				f.values.Set(name, text)
				f.typed[name] = text
			} else if value, submitted := content(field); submitted {
				f.values.Add(name, value)
			}
			if attr(field, "type") == "password" {
				f.values.Set(name, "a long password 1")
			}
		}
		if len(f.typed) > 0 {
			all = append(all, f)
		}
	}
	return all
}

// keeps checks that a page has everything that was typed in one of its forms, and says what is
// wrong right before that form.
func (f typedForm) keeps(t *testing.T, p page, why string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	said := false
	for n := range root.Descendants() {
		if attr(n, "role") == "alert" && n.FirstChild != nil {
			said = said || strings.Contains(n.FirstChild.Data, why)
		}
		if n.Data != "form" || attr(n, "action") != f.action {
			continue
		}
		kept := map[string]string{}
		for _, field := range controls(n) {
			kept[attr(field, "name")], _ = content(field)
		}
		lost := slices.Sorted(func(yield func(string) bool) {
			for name, text := range f.typed {
				if strings.TrimSpace(kept[name]) != text && !yield(name) {
					return
				}
			}
		})
		if len(lost) == 0 && said {
			return
		}
		t.Logf("%s lacks %q, said %v", f.action, lost, said)
	}
	t.Errorf("the page after %s keeps not what was typed, or does not say %q before it: %d %s", f.action, why, p.status, p.body)
}

// sameForAll answer the same whether an address is known or not, and their transactions come later.
var sameForAll = []string{"/signup", "/forgotten", "/resend", "/login/mail", "/account/email", "/account/security/passkeys", "/dashboard/people/invite"}

// formPages are the pages with forms into which people type, and who opens them.
func formPages(t *testing.T, m meeters) (all []struct {
	who  *visit
	path string
}) {
	t.Helper()
	olga := m.adam.staff("Olga", user.Owner)
	add := func(who *visit, paths ...string) {
		for _, path := range paths {
			all = append(all, struct {
				who  *visit
				path string
			}{who, path})
		}
	}
	m.ada.delivers(m.ben, m.adam, "name", "Zoology", "date", "2026-09-07")
	_, rated := m.ben.order()
	m.proposes(m.ben)
	for path := range strings.SplitSeq(m.ada.open("/order?id="+m.order).body, `<form method="post" action="/order/meeting/accept"><input type="hidden" name="id" value="`) {
		if id, _, ok := strings.Cut(path, `"`); ok && !strings.HasPrefix(path, "<!") {
			m.ada.send("/order/meeting/accept", "id", id).shows(200)
		}
	}
	book := m.ada.offers("Botany", "30")
	m.ben.send("/report", "book", book, "back", "/", "reason", "wrong", "text", "x").shows(200)
	queue := m.adam.open("/dashboard/reports").shows(200)
	_, talk := m.ben.talk(book, "Hello")
	sale := after2(t, m.adam.open("/dashboard/orders/order?id="+m.order).shows(200).body, "/dashboard/orders/cancel?")
	add(m.ben, "/sell", "/wanted", "/account", "/account/email", "/account/security", "/report?back=/&book="+m.ada.offers("Algebra II", "30"),
		"/conversation?id="+talk, "/conversation?book="+m.ada.offers("Optics", "30"), "/order?id="+m.order, "/order/cancel?id="+m.order, "/order?id="+rated)
	add(m.ada, "/sell?id="+book, "/order?id="+m.order)
	add(m.adam, "/dashboard/desks", "/dashboard/places", "/dashboard/books/unlist?book="+book, queue.link("Suspend the person"), sale)
	add(olga, "/dashboard/applications", "/dashboard/machines", "/dashboard/people/invite", olga.open("/dashboard/people").shows(200).link("ben@campus.edu"))
	add(m.ada.visitor(), "/signup", "/login", "/forgotten", "/resend", "/login/mail")
	return all
}

// after2 is a whole path that begins like that.
func after2(t *testing.T, body, from string) string {
	t.Helper()
	return html.UnescapeString(from + after(t, body, from))
}

func TestWhateverFailsInAFormKeepsWhatWasTypedAndSaysItBesideTheForm(t *testing.T) {
	m := newMeeters(t, meeting.Both)
	pages := formPages(t, m)
	for _, who := range []*visit{m.ada, m.ben, m.adam} {
		who.proves()
	}
	failures := map[int]error{
		http.StatusServiceUnavailable:  fault.New(fault.Unavailable, "unavailable", "The service is busy or partly down. Please try again in a moment."),
		http.StatusForbidden:           fault.New(fault.Forbidden, "forbidden", "You are not allowed to do this."),
		http.StatusNotFound:            fault.New(fault.NotFound, "book_not_found", "This book does not exist."),
		http.StatusInternalServerError: errors.New("boom"),
	}
	tried := map[string]bool{}
	for _, at := range pages {
		for _, f := range formsOf(t, at.who.open(at.path).shows(200), m.ada.Clock.Now()) {
			tried[f.action] = true
			for status, failure := range failures {
				*m.ada.broken = failure
				p := at.who.request(http.MethodPost, f.action, f.values)
				*m.ada.broken = nil
				why := "Something went wrong"
				if refusal := fault.As(failure); refusal != nil {
					why = refusal.Msg
				}
				if p.status < 400 && slices.Contains(sameForAll, f.action) {
					continue
				}
				if f.action == "/login" {
					status, why = http.StatusUnauthorized, "wrong"
				}
				if f.action == "/account/email" {
					status, why = http.StatusTooManyRequests, ""
				}
				if p.status != status {
					t.Errorf("%s, %s: %d instead of %d: %s", at.path, f.action, p.status, status, p.body)
					continue
				}
				f.keeps(t, p, why)
			}
		}
	}
	for _, action := range []string{
		"/sell", "/wanted", "/account", "/account/name", "/account/email", "/account/security/passkeys", "/report", "/conversation", "/order/meeting", "/order/handover", "/order/cancel", "/order/rate",
		"/dashboard/desks", "/dashboard/places", "/dashboard/books/unlist", "/dashboard/reports/decide", "/dashboard/orders/cancel", "/dashboard/applications", "/dashboard/machines/resources", "/dashboard/people/invite", "/dashboard/people/suspend", "/dashboard/people/identity",
		"/signup", "/login", "/forgotten", "/resend", "/login/mail",
	} {
		if !tried[action] {
			t.Errorf("no page had the form %s", action)
		}
	}
}

func TestAMessageToSomebodyWhoHasBlockedTheWriterStaysInTheConversation(t *testing.T) {
	c := newCampus(t)
	ann, bob := c.student("Ann"), c.student("Bob")
	book := ann.offers("Calculus", "40")
	_, talk := bob.talk(book, "Hello")
	blocking := ann.open("/conversation?id="+talk).shows(200, "Hello")
	bob.open("/conversation?id=" + talk).shows(200) // open in a tab
	ann.send("/conversation/block", "id", blocking.hidden("id"), "back", "/messages").shows(200)
	p := bob.send("/conversation", "id", talk, "book", book, "text", "A long story").shows(403, "Hello", "A long story</textarea>", `role="alert"`)
	p.lacks("That did not work")
}
