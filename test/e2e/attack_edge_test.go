package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/poll"
)

// browser signs the victim in with cookies. The returned function gives a request the headers
// that the browser sends from a page of another site.
func browser(t *testing.T, a *attackFixture, site, from string) (*person, func(*http.Request)) {
	t.Helper()
	p := a.newClient(t, byCookie)
	p.email = a.victim.email
	p.signIn(password)
	return p, func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", site)
		r.Header.Set("Origin", from)
	}
}

// crossSite sends a mutation with the victim's cookies from a page of another site.
func crossSite(name, site, from string, want int) attack {
	return attack{name, func(t *testing.T, a *attackFixture) {
		p, page := browser(t, a, site, from)
		r := p.send("/graphql", body(t, others, nil), page)
		if r.Status != want || want == 403 && r.Code() != "FORBIDDEN" {
			t.Errorf("answered %d %s", r.Status, r.Body)
		}
		if want == 403 {
			a.victim.assertSignedIn("in another session, after a forbidden request")
		}
		a.victim.signIn(password)
	}}
}

var browserAttacks = []attack{
	crossSite("CSRF from another site", "cross-site", "https://evil.test", 403),
	crossSite("CSRF from a subdomain", "same-site", "http://evil.127.0.0.1", 403),
	crossSite("CSRF from the null origin", "cross-site", "null", 403),
	crossSite("CSRF from an origin that begins with the allowed one", "cross-site", origin+".evil.test", 403),
	crossSite("CSRF from the allowed host over http", "cross-site", "http://app.test", 403),
	crossSite("CSRF from another port of the allowed host", "cross-site", origin+":8443", 403),
	crossSite("a request from the allowed origin is accepted", "cross-site", origin, 200),
	{"CSRF with the refresh cookie only", func(t *testing.T, a *attackFixture) {
		p, page := browser(t, a, "cross-site", "https://evil.test")
		c := p.cookie("octavo_refresh")
		r := a.newClient(t, byBearer).send("/graphql", body(t, refresh, nil), func(r *http.Request) { page(r); r.AddCookie(c) })
		if r.Status != 403 || r.Code() != "FORBIDDEN" || len(r.Header.Values("Set-Cookie")) != 0 {
			t.Errorf("answered %d %s", r.Status, r.Body)
		}
	}},
	{"CSRF on POST /", func(t *testing.T, a *attackFixture) {
		p, page := browser(t, a, "cross-site", "https://evil.test")
		if r := p.send("/", body(t, signOut, nil), page); r.Status != 403 || r.Code() != "FORBIDDEN" {
			t.Errorf("answered %d %s", r.Status, r.Body)
		}
	}},
	{"an invalid Authorization header beside a valid cookie", func(t *testing.T, a *attackFixture) {
		p, _ := browser(t, a, "same-origin", a.URL)
		for _, bad := range []string{"Bearer x", "Bearer", "Basic eDp5", "", "bearer"} {
			r := p.send("/graphql", body(t, me, nil), func(r *http.Request) { r.Header.Set("Authorization", bad) })
			if r.Code() != "UNAUTHENTICATED" {
				t.Errorf("%q: %s", bad, r.Body)
			}
		}
	}},
	{"reading answers from look-alike origins", func(t *testing.T, a *attackFixture) {
		for _, o := range []string{"null", "https://app.test.evil.test", "https://evilapp.test", "https://app.test@evil.test", "HTTPS://APP.TEST", "https://app.test/", "http://app.test", "https://app.test:444", "https://a.app.test", "*"} {
			r := a.newClient(t, byBearer).send("/graphql", body(t, me, nil), func(r *http.Request) { r.Header.Set("Origin", o) })
			if r.Header.Get("Access-Control-Allow-Origin") != "" || r.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%q is allowed", o)
			}
			if !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Origin") {
				t.Errorf("%q: Vary lacks Origin", o)
			}
		}
	}},
	{"a preflight from another site", func(t *testing.T, a *attackFixture) {
		for _, o := range []string{"https://evil.test", "null", origin} {
			r := a.newClient(t, byBearer).send("/graphql", nil, func(r *http.Request) {
				r.Method = http.MethodOptions
				r.Header.Set("Origin", o)
				r.Header.Set("Access-Control-Request-Method", "POST")
				r.Header.Set("Access-Control-Request-Headers", "content-type")
			})
			if allowed := r.Header.Get("Access-Control-Allow-Origin") == o; allowed != (o == origin) {
				t.Errorf("%s: %d %v", o, r.Status, r.Header)
			}
		}
	}},
	{"a mutation by GET", func(t *testing.T, a *attackFixture) {
		p, _ := browser(t, a, "same-origin", a.URL)
		for _, q := range []string{"mutation{signOut}", "mutation{revokeOtherSessions}", "{me{id}}"} {
			r := p.send("/graphql?query="+url.QueryEscape(q), nil, func(r *http.Request) { r.Method = http.MethodGet })
			if r.Status != http.StatusMethodNotAllowed || r.Code() != "BAD_REQUEST" {
				t.Errorf("%s: %d %s", q, r.Status, r.Body)
			}
		}
		p.assertSignedIn("after refused mutations")
	}},
	{"X-HTTP-Method-Override", func(t *testing.T, a *attackFixture) {
		r := a.newClient(t, byBearer).send("/graphql?query="+url.QueryEscape("{__typename}"), nil, func(r *http.Request) {
			r.Method = http.MethodPut
			r.Header.Set("X-HTTP-Method-Override", "POST")
		})
		if r.Status != http.StatusMethodNotAllowed {
			t.Errorf("answered %d %s", r.Status, r.Body)
		}
	}},
}

// formAttacks are the requests that a form of another site can send without a preflight.
func formAttacks() (out []attack) {
	for _, contentType := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "text/plain; application/json", ""} {
		out = append(out, attack{fmt.Sprintf("the content type %q, which a form can send", contentType), func(t *testing.T, a *attackFixture) {
			p, _ := browser(t, a, "same-origin", a.URL)
			r := p.send("/graphql", body(t, signOut, nil), func(r *http.Request) { r.Header.Set("Content-Type", contentType) })
			if r.Status != http.StatusUnsupportedMediaType || r.Code() != "BAD_REQUEST" {
				t.Errorf("answered %d %s", r.Status, r.Body)
			}
			p.assertSignedIn("after refused mutations")
		}})
	}
	return out
}

// tooComplex is a query that exceeds the maximum cost.
func tooComplex(name, query string) attack {
	return attack{name, func(t *testing.T, a *attackFixture) {
		a.newClient(t, byBearer).refused(query, nil, "QUERY_TOO_COMPLEX", "BAD_REQUEST")
	}}
}

// doubling is a chain of fragments. Each spreads the next one twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("{ me { ...F0 } }")
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on User { ...F%d ...F%d }", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on User { id }", n)
	return b.String()
}

var queryAttacks = []attack{
	tooComplex("a deeply nested query", "{ me "+strings.Repeat("{ sessions ", 1000)+"{ id }"+strings.Repeat("}", 1000)+"}"),
	tooComplex("fragments that grow exponentially", doubling(60)),
	tooComplex("a cycle of fragments", "{ me { ...A } } fragment A on User { ...B } fragment B on User { ...A }"),
	tooComplex("100,000 fields", "{ me {"+strings.Repeat(" id", 100_000)+" } }"),
	tooComplex("1,000 directives on one field", "{ me"+strings.Repeat(" @include(if: true)", 1000)+" { id } }"),
	tooComplex("1,000 aliases of me", "{"+aliases(1000, "a%d: me { id }")+"}"),
	tooComplex("ten lists of 100 users with their sessions", "{"+aliases(10, "a%d: users(first: 100) { edges { node { sessions { id ip os } } } }")+"}"),
	{"a body of 2 MiB", func(t *testing.T, a *attackFixture) {
		r := a.newClient(t, byBearer).send("/graphql", []byte(`{"query":"{me{id}}","variables":{"a":"`+strings.Repeat("a", 2<<20)+`"}}`), nil)
		if r.Status != http.StatusRequestEntityTooLarge || r.Code() != "BAD_REQUEST" {
			t.Errorf("answered %d %.100s", r.Status, r.Body)
		}
	}},
	{"JSON nested 100,000 deep", func(t *testing.T, a *attackFixture) {
		r := a.newClient(t, byBearer).send("/graphql", []byte(strings.Repeat("[", 100_000)), nil)
		if r.Status != 400 || r.Code() != "BAD_REQUEST" {
			t.Errorf("answered %d %.100s", r.Status, r.Body)
		}
	}},
	{"a password in malformed JSON appears neither in the response nor in the log", func(t *testing.T, a *attackFixture) {
		for _, b := range []string{`{"query":"{me{id}}","variables":{"password":"s3cret-pass"`, `s3cret-pass`, `{"query":"mutation{signIn(email:\"a\" \"s3cret-pass\")}"}`} {
			r := a.newClient(t, byBearer).send("/graphql", []byte(b), nil)
			if r.Code() != "BAD_REQUEST" || strings.Contains(string(r.Body), "s3cret") {
				t.Errorf("answered %s", r.Body)
			}
		}
		if strings.Contains(a.Log(), "s3cret") {
			t.Error("the password is in the log")
		}
	}},
	{"passwords and tokens are not logged", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "logged")
		p.refused(signIn, vars{"e": p.email, "p": "s3cret-guess"}, "INVALID_CREDENTIALS")
		for _, secret := range []string{"s3cret-guess", password, p.access, p.refresh, strings.Split(p.access, ".")[2]} {
			if strings.Contains(a.Log(), secret) {
				t.Errorf("%.12s… is in the log", secret)
			}
		}
	}},
}

var headerAttacks = []attack{
	{"injecting a host into the link of a mail", func(t *testing.T, a *attackFixture) {
		for i, edit := range []func(*http.Request){
			func(r *http.Request) { r.Host = "evil.test" },
			func(r *http.Request) { r.Header.Set("X-Forwarded-Host", "evil.test") },
			func(r *http.Request) { r.Header.Set("Forwarded", "host=evil.test") },
			func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "javascript") },
		} {
			guest := address(fmt.Sprintf("poisoned-%d", i))
			if r := a.admin.send("/graphql", body(t, invite, vars{"e": guest}), edit); len(r.Errors) > 0 {
				t.Errorf("answered %s", r.Body)
			}
			a.invitation(t, guest, "") // fails unless the link leads to BASE_URL
			if m := a.Mail(guest, "invitation"); strings.Contains(m.Text+m.HTML, "evil.test") {
				t.Errorf("the mail contains the injected host: %s", m.Text)
			}
		}
	}},
	{"a user agent of 10 kB", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "agent")
		p.header.Set("User-Agent", strings.Repeat("é", 5000))
		ua := p.signIn(password).text("signIn", "session", "userAgent")
		if len(ua) == 0 || len(ua) > 512 || strings.ContainsRune(ua, '\ufffd') {
			t.Errorf("stored %d bytes: %.40q", len(ua), ua)
		}
	}},
	{"markup in a user agent", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "agent")
		p.header.Set("User-Agent", `<script>alert(1)</script>{{.}} Firefox/1.0 "><img src=x>`)
		p.signIn(password)
		for _, m := range a.Mailbox(p.email) {
			if strings.Contains(m.HTML, "<script>alert") || strings.Contains(m.HTML, "<img src=x>") {
				t.Errorf("a %s mail contains the markup: %s", m.Kind, m.HTML)
			}
		}
	}},
	{"a line break in a user agent", func(t *testing.T, a *attackFixture) {
		b := body(t, me, nil)
		status, answer := raw(t, a, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nUser-Agent: a\rSet-Cookie: b=c\r\nContent-Length: "+fmt.Sprint(len(b))+"\r\nConnection: close\r\n\r\n"+string(b))
		if strings.Contains(answer, "b=c") || status != 400 && status != 200 {
			t.Errorf("answered %d %s", status, answer)
		}
	}},
	{"a line break in a request id", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		p.header.Set("X-Request-Id", "a b<script>")
		if got := p.run(me, nil).Header.Get("X-Request-Id"); got == "" || strings.ContainsAny(got, " <>") {
			t.Errorf("request id %q", got)
		}
	}},
	{"headers of 1 MB", func(t *testing.T, a *attackFixture) {
		status, _ := raw(t, a, "POST /graphql HTTP/1.1\r\nHost: x\r\nX-Big: "+strings.Repeat("a", 1<<20)+"\r\nConnection: close\r\n\r\n")
		if status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("answered %d", status)
		}
	}},
	{"two different Content-Length headers", func(t *testing.T, a *attackFixture) {
		status, _ := raw(t, a, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3\r\nContent-Length: 30\r\nConnection: close\r\n\r\n{}\n")
		if status != 400 {
			t.Errorf("answered %d", status)
		}
	}},
	{"a body shorter than its Content-Length", func(t *testing.T, a *attackFixture) {
		skipOverReplicas(t)
		conn := dial(t, a)
		_, _ = io.WriteString(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"query\"")
		_ = conn.(*net.TCPConn).CloseWrite()
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
			defer func() { _ = res.Body.Close() }()
			if res.StatusCode != 400 {
				t.Errorf("answered %d", res.StatusCode)
			}
		}
	}},
	{"an invalid address in X-Forwarded-For", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "forwarded")
		p.header.Set("X-Forwarded-For", "<script>, ' OR 1=1, ")
		ip := p.signIn(password).text("signIn", "session", "ip")
		if net.ParseIP(ip) == nil {
			t.Errorf("ip %q", ip)
		}
	}},
}

func dial(t *testing.T, a *attackFixture) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(poll.Limit))
	return conn
}

// raw sends bytes that no HTTP client would send, and returns the answer.
func raw(t *testing.T, a *attackFixture, request string) (int, string) {
	t.Helper()
	conn := dial(t, a)
	go func() { _, _ = io.WriteString(conn, request) }()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, fmt.Sprint(res.Header) + string(text)
}
