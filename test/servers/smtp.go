package servers

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/mail"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/octavo-books/octavo/test/must"
)

// Mail is a mail that a MailServer has received.
type Mail struct {
	To      string
	ID      string // Message-ID
	Subject string
	Text    string // the whole body as it came, undecoded
}

// MailServer accepts every mail, over SMTP without TLS.
type MailServer struct {
	URL string // smtp://127.0.0.1:PORT?tls=off

	mu    sync.Mutex
	mails []Mail
}

// SMTP starts a mail server.
func SMTP(t testing.TB) *MailServer {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := &MailServer{URL: "smtp://" + l.Addr().String() + "?tls=off"}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{server: s}, nil }))
	server.ReadTimeout, server.WriteTimeout = 30*time.Second, 30*time.Second
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-done; err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Error(err)
		}
	})
	return s
}

// Mails returns all mails that arrived so far.
func (s *MailServer) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

type mailSession struct {
	server *MailServer
	to     string
}

func (m *mailSession) Reset()        { m.to = "" }
func (m *mailSession) Logout() error { return nil }

func (m *mailSession) Mail(string, *smtp.MailOptions) error { return nil }

func (m *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	m.to = to
	return nil
}

func (m *mailSession) Data(r io.Reader) error {
	read, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(read.Body)
	if err != nil {
		return err
	}
	m.server.mu.Lock()
	defer m.server.mu.Unlock()
	m.server.mails = append(m.server.mails, Mail{To: m.to, ID: read.Header.Get("Message-Id"), Subject: subject, Text: string(body)})
	return nil
}
