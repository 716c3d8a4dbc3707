package openidprofile

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"
)

// browser follows redirects within the provider.
type browser struct {
	*run
	http *http.Client
}

func (r *run) newBrowser() *browser {
	jar, err := cookiejar.New(nil)
	r.check(err)
	within := func(next *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(next.URL.String(), r.Issuer+"/") {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &browser{r, &http.Client{Jar: jar, Timeout: time.Minute, CheckRedirect: within}}
}

// open returns the page at an address.
func (b *browser) open(method, address string, form url.Values) Page {
	req, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	b.check(err)
	req.Header.Set("Accept", "text/html")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.http.Do(req)
	b.check(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	b.check(err)
	page := Page{Status: resp.StatusCode, URL: resp.Request.URL}
	b.check(page.read(string(body)))
	to := resp.Header.Get("Location")
	if _, refresh, ok := strings.Cut(resp.Header.Get("Refresh"), "; url="); ok {
		to = refresh
	}
	if to != "" {
		page.Left, err = page.URL.Parse(to)
		b.check(err)
	}
	return page
}

// follow answers what the pages ask until they ask for nothing or lead away, and returns what they
// have asked.
func (b *browser) follow(page Page) (last Page, asked []Question) {
	for page.Left == nil {
		answer, asks := b.Read(page)
		if !asks {
			break
		}
		asked = append(asked, answer.To)
		b.must(len(asked) < 10, "the pages have no end: %v", asked)
		to, err := page.URL.Parse(answer.Action)
		b.check(err)
		page = b.open(http.MethodPost, to.String(), answer.Fields)
	}
	return page, asked
}

// authorize opens an authorization request and returns the answer that the client gets, and what the
// pages have asked before.
func (b *browser) authorize(c Client, change ...string) (url.Values, []Question) {
	page, asked := b.follow(b.open(http.MethodGet, b.request(c, change...), nil))
	return b.answered(c, page), asked
}

// state has characters that are easily spoilt.
const state = "st&te +%"

// answered returns the answer with which a browser is back at the client.
func (b *browser) answered(c Client, page Page) url.Values {
	b.must(page.Left != nil, "the client gets no answer; the browser shows %d at %s", page.Status, page.URL)
	base, query, _ := strings.Cut(c.RedirectURI, "?")
	b.must(strings.HasPrefix(page.Left.String(), base+"?"+query), "the answer goes to %s", page.Left)
	q := page.Left.Query()
	b.must(q.Get("state") == state, "the state of the answer is %q", q.Get("state"))
	b.must(!q.Has("iss") || q.Get("iss") == b.Issuer, "the issuer of the answer is %q", q.Get("iss"))
	return q
}

// signedIn is a browser whose user has signed in to a client, with the tokens that it got.
func (r *run) signedIn(c Client, change ...string) (*browser, tokens) {
	b := r.newBrowser()
	return b, b.tokens(c, change...)
}

// tokens signs in to a client and redeems the code.
func (b *browser) tokens(c Client, change ...string) tokens {
	q, _ := b.authorize(c, change...)
	return b.redeem(c, q, change...)
}
