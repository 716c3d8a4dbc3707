package mail_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// sink is a mail server that stores mails unless refuse returns an error.
type sink struct {
	mu       sync.Mutex
	mails    []string
	to       []string
	sessions int
	signedIn int
	refuse   func(step, argument string) error
}

func (s *sink) NewSession(*smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions++
	return &session{sink: s}, nil
}

type session struct {
	*sink
	rcpt string
}

func (s *session) step(name, argument string) error {
	if s.refuse == nil {
		return nil
	}
	return s.refuse(name, argument)
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "octavo" || password != "p@ss:word" {
			return smtp.ErrAuthFailed
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.signedIn++
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { return s.step("MAIL", from) }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.rcpt = to
	return s.step("RCPT", to)
}

func (s *session) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.step("DATA", s.rcpt); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails, s.to = append(s.mails, string(body)), append(s.to, s.rcpt)
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// serve starts a server for backend and returns its address.
func serve(t *testing.T, backend smtp.Backend, secure *tls.Config) string {
	t.Helper()
	server := smtp.NewServer(backend)
	server.Domain, server.TLSConfig, server.AllowInsecureAuth = "localhost", secure, true
	server.ErrorLog = quiet{}
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func open(t *testing.T, url string) *mail.Sender {
	t.Helper()
	config := must.Get(mail.ParseConfig(url, "Octavo Bücher <octavo@example.edu>"))(t)
	config.Timeout = 2 * time.Second
	s := must.Get(mail.New(config))(t)
	t.Cleanup(s.Close)
	return s
}

func letter(id int64, to user.Email) mailer.Mail {
	return mailer.Mail{
		Message: message.Message{
			ID: id, Kind: message.MatchFound, To: to, Lang: user.FR,
			Params: map[string]string{message.ParamStop: "https://octavo.example/unsubscribe?token=abc"},
		},
		Subject: "Un livre que vous cherchez : « Été »", Text: "Bonjour,\n.\nà bientôt\n", HTML: "<p>Bonjour à tous</p>",
		SentAt: time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC),
	}
}

func TestAMailArrivesWithItsTextAndTheHeadersThatProgramsNeed(t *testing.T) {
	server := &sink{}
	s := open(t, "smtp://"+serve(t, server, nil))
	must.Do(t, s.SendMails(t.Context(), []mailer.Mail{letter(42, "ann@rochester.edu")})[0])
	got := must.Get(netmail.ReadMessage(strings.NewReader(server.mails[0])))(t)
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || subject != "Un livre que vous cherchez : « Été »" {
		t.Errorf("subject = %q, %v; want \"Un livre que vous cherchez : « Été »\"", subject, err)
	}
	for name, want := range map[string]string{
		"Message-Id": "<octavo.42@example.edu>", "Date": "Mon, 07 Sep 2026 09:00:00 +0000", "To": "<ann@rochester.edu>",
		"Auto-Submitted": "auto-generated", "List-Unsubscribe": "<https://octavo.example/unsubscribe?token=abc>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Content-Language": "fr",
	} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s = %q, want %q", name, v, want)
		}
	}
	if from, err := got.Header.AddressList("From"); err != nil || from[0].Name != "Octavo Bücher" || from[0].Address != "octavo@example.edu" {
		t.Errorf("from = %v, %v", from, err)
	}
	if parts := read(t, got); parts["text/plain"] != "Bonjour,\r\n.\r\nà bientôt\r\n" || !strings.Contains(parts["text/html"], "Bonjour à tous") {
		t.Errorf("parts = %q", parts)
	}
}

func read(t *testing.T, m *netmail.Message) map[string]string {
	t.Helper()
	_, params := must.Get2(mime.ParseMediaType(m.Header.Get("Content-Type")))(t)
	parts := map[string]string{}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		must.Do(t, err)
		kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		body := must.Get(io.ReadAll(p))(t)
		parts[kind] = string(body)
	}
}

func TestMailsShareConnections(t *testing.T) {
	server := &sink{}
	s := open(t, "smtp://"+serve(t, server, nil))
	for round := range 5 {
		for i, err := range s.SendMails(t.Context(), []mailer.Mail{letter(1, "a@x.edu"), letter(2, "b@x.edu"), letter(3, "c@x.edu")}) {
			if err != nil {
				t.Errorf("round %d, mail %d: %v", round, i, err)
			}
		}
	}
	if len(server.mails) != 15 || server.sessions != 1 {
		t.Errorf("%d mails over %d connections", len(server.mails), server.sessions)
	}
}

func TestABrokenConnectionIsReplaced(t *testing.T) {
	server := &sink{}
	proxy := startProxy(t, serve(t, server, nil))
	s := open(t, "smtp://"+proxy.address)
	for id := range int64(3) {
		if err := s.SendMails(t.Context(), []mailer.Mail{letter(id+1, "a@x.edu")})[0]; err != nil {
			t.Fatalf("mail %d: %v", id+1, err)
		}
		proxy.cut()
	}
	if len(server.mails) != 3 || server.sessions != 3 {
		t.Errorf("%d mails over %d connections", len(server.mails), server.sessions)
	}
}

func TestTheServersAnswerDecidesWhetherAMailIsRetried(t *testing.T) {
	refusal := func(code int, enhanced smtp.EnhancedCode) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "no"}
	}
	for name, c := range map[string]struct {
		step string
		err  error
		want error // nil: try again later
	}{
		"no such user":          {"RCPT", refusal(550, smtp.EnhancedCode{5, 1, 1}), mailer.ErrPermanent},
		"text refused":          {"DATA", refusal(554, smtp.EnhancedCode{5, 6, 0}), mailer.ErrPermanent},
		"greylisted":            {"RCPT", refusal(451, smtp.EnhancedCode{4, 7, 1}), nil},
		"mailbox full":          {"DATA", refusal(452, smtp.EnhancedCode{4, 2, 2}), nil},
		"relaying not allowed":  {"RCPT", refusal(554, smtp.EnhancedCode{5, 7, 1}), nil},
		"our sender is refused": {"MAIL", refusal(553, smtp.EnhancedCode{5, 1, 8}), mailer.ErrUnreachable},
		"server shuts down":     {"MAIL", refusal(421, smtp.EnhancedCode{4, 3, 2}), mailer.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			server := &sink{refuse: func(step, argument string) error {
				if step == c.step && (step == "MAIL" || argument == "bad@x.edu") {
					return c.err
				}
				return nil
			}}
			s := open(t, "smtp://"+serve(t, server, nil))
			errs := s.SendMails(t.Context(), []mailer.Mail{letter(1, "bad@x.edu"), letter(2, "good@x.edu")})
			if errs[0] == nil || c.want != nil && !errors.Is(errs[0], c.want) || c.want == nil && (errors.Is(errs[0], mailer.ErrPermanent) || errors.Is(errs[0], mailer.ErrUnreachable)) {
				t.Errorf("the bad one: %v", errs[0])
			}
			if c.step != "MAIL" && (errs[1] != nil || len(server.to) != 1 || server.to[0] != "good@x.edu") {
				t.Errorf("the good one: %v, delivered to %v", errs[1], server.to)
			}
		})
	}
}

func TestAServerThatIsDownOrSilentIsUnreachable(t *testing.T) {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	for _, state := range []string{"silent", "down"} {
		if state == "down" {
			_ = listener.Close()
		}
		s := open(t, "smtp://"+address)
		for _, err := range s.SendMails(t.Context(), []mailer.Mail{letter(1, "a@x.edu"), letter(2, "a@x.edu")}) {
			if !errors.Is(err, mailer.ErrUnreachable) {
				t.Errorf("%s: %v, want %v", state, err, mailer.ErrUnreachable)
			}
		}
		if err := s.Check(t.Context()); err == nil {
			t.Errorf("%s: the check passed", state)
		}
	}
}

func TestSendingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	released := make(chan struct{})
	defer close(released)
	server := &sink{refuse: func(step, _ string) error {
		if step == "DATA" {
			cancel()
			<-released
		}
		return nil
	}}
	s := open(t, "smtp://"+serve(t, server, nil))
	if errs := s.SendMails(ctx, []mailer.Mail{letter(1, "a@x.edu"), letter(2, "a@x.edu")}); errs[0] == nil || errs[1] == nil {
		t.Errorf("errs = %v", errs)
	}
}

func TestAnInvalidRecipientIsAPermanentFailure(t *testing.T) {
	server := &sink{}
	s := open(t, "smtp://"+serve(t, server, nil))
	for _, to := range []user.Email{"", "no at", "a@x.edu\r\nRCPT TO:<eve@x.edu>", "a@x.edu, b@x.edu"} {
		must.Refuse(t, s.SendMails(t.Context(), []mailer.Mail{letter(1, to)})[0], mailer.ErrPermanent, to)
	}
	if len(server.to) != 0 {
		t.Errorf("delivered to %v", server.to)
	}
}
