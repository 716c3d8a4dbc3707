package servers

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/octavo-books/octavo/test/gobuild"
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

// NATSServer is a NATS server with JetStream within this process.
type NATSServer struct {
	URL     string // nats://127.0.0.1:PORT
	t       testing.TB
	options server.Options
	running *server.Server
}

// NATS starts a server that stores its streams in a folder of the test.
func NATS(t testing.TB) *NATSServer {
	t.Helper()
	port := Port(t)
	s := &NATSServer{URL: "nats://127.0.0.1:" + strconv.Itoa(port), t: t, options: server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: Dir(t), NoLog: true, NoSigs: true,
	}}
	t.Cleanup(s.Kill)
	s.Restart()
	return s
}

// Kill shuts the server down and closes all connections. A second call does nothing.
func (s *NATSServer) Kill() {
	if s.running == nil {
		return
	}
	s.running.Shutdown()
	s.running.WaitForShutdown()
	s.running = nil
}

// Restart starts it on the same port and data.
func (s *NATSServer) Restart() {
	s.t.Helper()
	options := s.options
	running, err := server.NewServer(&options)
	if err != nil {
		s.t.Fatalf("NATS: %v", err)
	}
	running.Start()
	s.running = running
	until(s.t, "NATS", func() error {
		if !running.Running() || !running.JetStreamEnabled() {
			return errors.New("is not running")
		}
		return nil
	})
}

// The credentials of a Bucket.
const (
	S3AccessKeyID     = "octavo"
	S3SecretAccessKey = "a secret of the tests"
)

// Bucket is a bucket of an S3 server that stores it in a folder.
type Bucket struct {
	address string
	folder  string
	server  process
}

// S3 starts a server with one bucket. Its program is built from a module of its own,
// test/s3server.
func S3(t testing.TB) *Bucket {
	t.Helper()
	NotShort(t, "a server of objects")
	program, folder := filepath.Join(t.TempDir(), "s3server"), Dir(t)
	must.Do(t, gobuild.Program(t.Context(), filepath.Join(root(t), "test", "s3server"), program, "."))
	b := &Bucket{address: Address(t), folder: filepath.Join(folder, "objects", "books")}
	b.server = process{path: program, args: []string{b.address, folder, "books", S3AccessKeyID, S3SecretAccessKey}, dir: folder}
	b.Start(t)
	t.Cleanup(b.Kill)
	return b
}

// Start starts the server again after Kill, with what it has stored.
func (b *Bucket) Start(t testing.TB) {
	t.Helper()
	b.server.start(t)
	until(t, "the S3 server listens", func() error {
		c, err := net.Dial("tcp", b.address)
		if err == nil {
			err = c.Close()
		}
		return err
	})
}

// Kill ends the server as a crash would.
func (b *Bucket) Kill() { b.server.kill() }

// URL is the BLOB_URL of the bucket, with a prefix for all keys.
func (b *Bucket) URL(prefix string) string {
	return "s3://books/" + prefix + "?endpoint=" + url.QueryEscape("http://"+b.address)
}

// File is where the server keeps an object, for tests that damage it.
func (b *Bucket) File(key string) string { return filepath.Join(b.folder, filepath.FromSlash(key)) }

// root is the folder of the module whose package is tested.
func root(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.Getwd())(t)
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// Proxy is a TCP proxy between a program and a server that can hang.
type Proxy struct {
	Address string // host:port of the proxy

	t      testing.TB
	server string
	hung   sync.RWMutex
}

// NewProxy starts a proxy to a server at host:port.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	p := &Proxy{Address: Address(t), t: t, server: server}
	l := must.Get(net.Listen("tcp", p.Address))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// Through returns a URL of the server with the proxy's address.
func (p *Proxy) Through(address string) string {
	p.t.Helper()
	u := must.Get(url.Parse(address))(p.t)
	u.Host = p.Address
	return u.String()
}

// Hang delays all data in both directions until resume is called: connections stay open, new
// ones are accepted, and nothing is answered.
func (p *Proxy) Hang() (resume func()) {
	p.hung.Lock()
	return sync.OnceFunc(p.hung.Unlock)
}

func (p *Proxy) serve(client net.Conn) {
	backend, err := net.Dial("tcp", p.server)
	if err != nil {
		_ = client.Close()
		return
	}
	go p.copy(client, backend)
	p.copy(backend, client)
}

func (p *Proxy) copy(from, to net.Conn) {
	_, _ = io.Copy(gated{to, &p.hung}, from)
	_ = to.Close()
	_ = from.Close()
}

// gated is a writer that blocks while Hang holds the gate.
type gated struct {
	io.Writer
	gate *sync.RWMutex
}

func (g gated) Write(b []byte) (int, error) {
	g.gate.RLock()
	defer g.gate.RUnlock()
	return g.Writer.Write(b)
}
