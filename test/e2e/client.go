package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/sent"
)

// Answer is a response with its body read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Data decodes the data of the marketplace's envelope.
func (a Answer) Data(t testing.TB, into any) {
	t.Helper()
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &envelope); err != nil {
		t.Fatalf("not the envelope: %v: %s", err, a.Body)
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		t.Fatalf("data: %v: %s", err, envelope.Data)
	}
}

// Client sends requests as one person.
type Client struct {
	URL, Token string
	HTTP       *http.Client
}

// Do sends a request; a body that is not nil is sent as JSON.
func (c Client) Do(method, path string, body any) (Answer, error) {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, c.URL+path, content)
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	client := c.HTTP
	if client == nil {
		client = &http.Client{Timeout: 60 * time.Second}
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Header, b}, err
}

// Must sends a request and fails the test unless it has the wanted status.
func (c Client) Must(t testing.TB, status int, method, path string, body any) Answer {
	t.Helper()
	a, err := c.Do(method, path, body)
	if err != nil {
		t.Fatalf("%s: %v", sent.Request(method, path, body), err)
	}
	if a.Status != status {
		t.Fatalf("%s\n%d, want %d: %s", sent.Request(method, path, body), a.Status, status, a.Body)
	}
	return a
}

// GraphQL runs an operation and returns its data, or the code of its first error.
func (c Client) GraphQL(t testing.TB, query string, variables map[string]any) (json.RawMessage, string) {
	t.Helper()
	operation := map[string]any{"query": query, "variables": variables}
	a, err := c.Do(http.MethodPost, "/graphql", operation)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		t.Fatalf("%s\n%v: %d %s", sent.Request(http.MethodPost, "/graphql", operation), err, a.Status, a.Body)
	}
	if len(answer.Errors) > 0 {
		t.Logf("%s\nis refused: %s", sent.Request(http.MethodPost, "/graphql", operation), a.Body)
		return nil, answer.Errors[0].Extensions.Code
	}
	return answer.Data, ""
}

// Password is the password of every student in the tests.
const Password = "correct horse battery staple"

// Student signs up at the marketplace, confirms the address and logs in.
func (s *Server) Student(email, firstName string) Client {
	s.t.Helper()
	anyone := Client{URL: s.URL}
	anyone.Must(s.t, http.StatusCreated, "POST", "/api/auth/signup", map[string]any{
		"email": email, "password": Password, "firstName": firstName, "lastName": "Tester",
		"university": "University of Rochester", "campusMailbox": "270001", "paymentUsername": "pay-" + firstName,
	})
	link := s.Mail(email, "verification").Link
	if link == nil || !strings.HasPrefix(*link, s.URL+"/api/auth/confirm/") {
		s.t.Fatalf("the link is %v", link)
	}
	anyone.Must(s.t, http.StatusOK, "POST", strings.TrimPrefix(*link, s.URL), nil)
	return s.Login(email)
}

// Login logs in with Password.
func (s *Server) Login(email string) Client {
	s.t.Helper()
	a := Client{URL: s.URL}.Must(s.t, http.StatusOK, "POST", "/api/auth/login", map[string]string{"email": email, "password": Password})
	var session struct{ Token string }
	a.Data(s.t, &session)
	if session.Token == "" {
		s.t.Fatalf("no token: %s", a.Body)
	}
	return Client{URL: s.URL, Token: session.Token}
}

// Post posts a book and returns its id.
func (c Client) Post(t testing.TB, name, course string, more ...string) string {
	t.Helper()
	body := Draft(name, course)
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	var posted struct{ ID string }
	c.Must(t, http.StatusCreated, "POST", "/api/books/postBook", body).Data(t, &posted)
	return posted.ID
}

// Draft is the body of a request that posts a book.
func Draft(name, course string) map[string]any {
	return map[string]any{"name": name, "edition": 3, "course": course, "price": 42.5, "condition": "good", "date": time.Now().UTC().Format(time.DateOnly)}
}
