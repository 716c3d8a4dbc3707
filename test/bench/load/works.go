package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// work is one kind of request.
type work struct {
	name   string
	status int
	next   func() request // called from many goroutines
	other  int            // a status that is no failure either; 0: none
}

// accepting returns the work for which another status is no failure, either.
func (w work) accepting(status int) work {
	w.other = status
	return w
}

// always repeats one request.
func always(name string, r request) work {
	return work{name: name, status: http.StatusOK, next: func() request { return r }}
}

// inTurn repeats a list of requests.
func inTurn(name string, status int, all []request) work {
	var n atomic.Int64
	return work{name: name, status: status, next: func() request { return all[int(n.Add(1)-1)%len(all)] }}
}

// All users of a demo campus have this password.
const (
	buyer    = "admin@northfield.example.edu"
	seller   = "owner@northfield.example.edu"
	password = "octavo demo campus"
)

const deep = 100_000 // offset of a deep page

// prepare signs users in, reads books, and prepares requests for them.
func prepare(address string) ([]work, error) {
	c := client{url: "http://" + address}
	buyers, err := c.signIn(buyer)
	if err != nil {
		return nil, err
	}
	sellers, err := c.signIn(seller)
	if err != nil {
		return nil, err
	}
	books, cursor, err := c.walk(buyers, deep)
	if err != nil {
		return nil, err
	}
	var one, isbns, pages, posts, checkouts []request
	for _, b := range books {
		one = append(one, get("/api/books/getBook/"+b.ID, ""))
		pages = append(pages, browserGet("/book?id="+b.ID, ""))
		posts = append(posts, post("/api/books/postBook", sellers, b.draft()))
		if b.ISBN != "" {
			isbns = append(isbns, get("/api/books/search/public/"+b.ISBN+"?limit=20", ""))
		}
		checkouts = append(checkouts, post("/api/books/checkoutCart", buyers, `{"bookIds":["`+b.ID+`"],"allowPartial":true}`))
	}
	search := func(words string) request {
		return get("/api/books/search/public/"+strings.ReplaceAll(words, " ", "%20")+"?limit=20", "")
	}
	return []work{
		always("first page", get("/api/books/getAllBooks?limit=20", "")),
		always("first page, with a token", get("/api/books/getAllBooks?limit=20", buyers)),
		always("page at 100,000, by cursor", get("/api/books/getAllBooks?limit=20&cursor="+cursor, "")),
		always("page at 100,000, limit/skip", get("/api/books/getBooksNoToken/20/"+itoa(min(deep, len(books))), "")),
		always("search, common word", search("introduction")),
		always("search, two common words", search("concise guide")),
		always("search, course", search(books[0].Course)),
		always("search, no hit", search("xyzzyplugh")),
		inTurn("suggest", http.StatusOK, suggestions()),
		inTurn("ISBN exact", http.StatusOK, isbns),
		inTurn("one book", http.StatusOK, one),
		always("dashboard", get("/api/dashboard/getStatistics", buyers)),
		always("page: front", browserGet("/", "")),
		always("page: home of a student", browserGet("/", buyers)),
		always("page: search", browserGet("/?q=introduction", "")),
		inTurn("page: book", http.StatusOK, pages),
		always("style sheet", browserGet("/static/octavo.css", "")),
		inTurn("post with matching", http.StatusCreated, posts),
		inTurn("checkout", http.StatusCreated, checkouts),
	}, nil
}

// suggestions are what people have typed of a search.
func suggestions() (typed []request) {
	for _, text := range []string{"intr", "physics%20un", "calc", "organic%20che", "ele", "concise%20gu"} {
		typed = append(typed, get("/api/books/suggest?q="+text, ""))
	}
	return typed
}

// client sends the requests of prepare, which are not measured.
type client struct{ url string }

func (c client) signIn(email string) (token string, err error) {
	body, _ := json.Marshal(map[string]string{"email": email, "password": password})
	var grant struct{ Token string }
	_, err = c.do("POST", "/api/auth/login", "", body, &grant)
	return grant.Token, err
}

type listed struct {
	ID, Name, Course, Condition, Date string
	ISBN                              string
	Edition                           int
	Price                             float64
}

// draft returns a body that posts a similar book.
func (b listed) draft() string {
	draft := map[string]any{
		"name": b.Name, "course": b.Course, "condition": b.Condition, "date": b.Date, "edition": b.Edition, "price": b.Price,
	}
	if b.ISBN != "" {
		draft["ISBN"] = b.ISBN
	}
	text, _ := json.Marshal(draft)
	return string(text)
}

// walk reads the first n books that are not the caller's own, and the cursor after them.
func (c client) walk(token string, n int) (all []listed, cursor string, err error) {
	const path = "/api/books/getAllBooks?limit=200"
	for next := path; len(all) < n; {
		var page []listed
		header, err := c.do("GET", next, token, nil, &page)
		if err != nil {
			return nil, "", err
		}
		all = append(all, page...)
		link, _, more := strings.Cut(strings.TrimPrefix(header.Get("Link"), "<"), ">")
		if !more {
			break
		}
		next = link
		_, cursor, _ = strings.Cut(link, "cursor=")
		cursor, _, _ = strings.Cut(cursor, "&")
	}
	if len(all) == 0 {
		return nil, "", errors.New("there are no books; fill the folder with octavo demo")
	}
	return all, cursor, nil
}

// do decodes the data of an answer into data.
func (c client) do(method, path, token string, body []byte, data any) (http.Header, error) {
	req, err := http.NewRequest(method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return nil, fmt.Errorf("%s %s: status %d: %s", method, path, resp.StatusCode, b)
	}
	return resp.Header, json.Unmarshal(b, &struct{ Data any }{data})
}
