package e2e_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// smtpServer is a mail server that stores the mails.
type smtpServer struct {
	refuse func(to string) error // nil accepts mails for every address

	mu    sync.Mutex
	mails []string
}

func (p *smtpServer) NewSession(*smtp.Conn) (smtp.Session, error) { return counter{p}, nil }

// counter is the session of one SMTP client.
type counter struct{ *smtpServer }

func (counter) Mail(string, *smtp.MailOptions) error { return nil }
func (counter) Reset()                               {}
func (counter) Logout() error                        { return nil }

func (c counter) Rcpt(to string, _ *smtp.RcptOptions) error {
	if c.refuse == nil {
		return nil
	}
	return c.refuse(to)
}

func (c counter) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mails = append(c.mails, string(b))
	return nil
}

// open listens at an address until the test ends.
func (p *smtpServer) open(t *testing.T, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(p)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
}

// await waits for a mail that contains all of the words.
func (p *smtpServer) await(t *testing.T, words ...string) {
	t.Helper()
	poll.For(t, fmt.Sprintf("a mail with %q", words), func() bool { return p.has(words) })
}

func (p *smtpServer) has(words []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.mails {
		found := true
		for _, w := range words {
			found = found && strings.Contains(m, w)
		}
		if found {
			return true
		}
	}
	return false
}

func TestMailsWaitForTheirServerEvenThroughACrash(t *testing.T) {
	t.Parallel()
	address := servers.Address(t)
	s := e2e.StartWith(t, []string{"SMTP_URL=smtp://" + address, "MAIL_FROM=Octavo <octavo@campus.edu>"})
	anyone := e2e.Client{URL: s.URL}
	if _, code := anyone.GraphQL(t, `mutation { signUp(email: "ann@campus.edu", password: "correct horse battery staple") }`, nil); code != "" {
		t.Fatal(code)
	}
	ready := anyone.Must(t, http.StatusOK, "GET", "/healthz", nil)
	if ready.Status != http.StatusOK {
		t.Error("the program is not ready without its mail server")
	}
	s.Kill()
	server := &smtpServer{}
	server.open(t, address)
	s.Restart()
	server.await(t, "To: <ann@campus.edu>", "From: \"Octavo\" <octavo@campus.edu>", "Confirm your email address", *s.Mail("ann@campus.edu", "verification").Code)
}

func TestEveryAcknowledgedSignUpGetsItsMailThoughTheProgramCrashes(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "auth")
	const people = 24
	acknowledged := make(chan string, people)
	var wg sync.WaitGroup
	for i := range people {
		wg.Go(func() {
			email := fmt.Sprintf("p%d@campus.edu", i)
			body := map[string]any{"query": `mutation($e: String!) { signUp(email: $e, password: "correct horse battery staple") }`, "variables": map[string]any{"e": email}}
			a, err := e2e.Client{URL: s.URL}.Do("POST", "/graphql", body)
			if err == nil && strings.Contains(string(a.Body), `"signUp":true`) {
				acknowledged <- email
			}
		})
	}
	survivor := <-acknowledged // the others are under way
	s.Kill()
	wg.Wait()
	close(acknowledged)
	s.Restart()
	s.Mail(survivor, "verification")
	for email := range acknowledged {
		s.Mail(email, "verification")
	}
}
