package pushservice

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
)

// Message is what a browser gets.
type Message struct {
	Path   string
	Header http.Header
	Text   string // decrypted
}

// Service is a push service with one browser, which has any number of subscriptions.
type Service struct {
	*httptest.Server
	Browser

	mu       sync.Mutex
	t        testing.TB
	key      string
	answer   http.HandlerFunc
	messages []Message
}

// Start starts a service on this machine. It fails the test for a message that is not encrypted for its browser, or that
// is signed with another key than the one that Expect names.
func Start(t testing.TB) *Service {
	t.Helper()
	secret := make([]byte, keyBytes)
	must.Get(rand.Read(secret))(t)
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	s := &Service{Browser: must.Get(NewBrowser(must.Get(key.Bytes())(t), secret))(t), t: t}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Expect sets the public key with which all messages must be signed.
func (s *Service) Expect(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// Answer makes the service answer otherwise than 201.
func (s *Service) Answer(with http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = with
}

// Messages returns the messages since the last call.
func (s *Service) Messages() (all []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, s.messages = s.messages, nil
	return all
}

const maxMessage = 4096 // a push service need not take more (RFC 8030, section 7.2)

// ServeHTTP takes a message (RFC 8030, section 5).
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	s.mu.Lock()
	defer s.mu.Unlock()
	text, failed := s.Decrypt(body)
	err = errors.Join(err, failed, VerifySender(r, s.key, s.URL, time.Now()))
	if err != nil || len(body) > maxMessage || r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" {
		s.t.Errorf("%s %s of %d bytes with %v: %v", r.Method, r.URL, len(body), r.Header, err)
	}
	s.messages = append(s.messages, Message{r.URL.Path, r.Header, string(text)})
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// VerifySender returns an error unless a request is signed as RFC 8292 says: with a key, for a service, for at most a day
// from now, by somebody who can be asked.
func VerifySender(r *http.Request, key, service string, now time.Time) error {
	fields, ok := strings.CutPrefix(r.Header.Get("Authorization"), "vapid ")
	if !ok {
		return fmt.Errorf("the authorization is %q", r.Header.Get("Authorization"))
	}
	var token, public string
	for field := range strings.SplitSeq(fields, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(field), "="); name {
		case "t":
			token = value
		case "k":
			public = value
		}
	}
	if public != key {
		return fmt.Errorf("the key is %s, want %s", public, key)
	}
	claims, err := verify(token, public)
	if err != nil {
		return err
	}
	until := time.Unix(claims.Expires, 0)
	switch {
	case claims.Audience != service:
		return fmt.Errorf("it is for %s, not %s", claims.Audience, service)
	case !until.After(now) || until.After(now.Add(24*time.Hour)):
		return fmt.Errorf("it expires at %s", until)
	case !strings.HasPrefix(claims.Subject, "mailto:") && !strings.HasPrefix(claims.Subject, "https://"):
		return fmt.Errorf("its sender is %q", claims.Subject)
	}
	return nil
}

type claims struct {
	Audience string `json:"aud"`
	Expires  int64  `json:"exp"`
	Subject  string `json:"sub"`
}

// verify checks the signature of a JWT with ES256 (RFC 7515, section 3.4 of RFC 7518).
func verify(token, public string) (c claims, err error) {
	signed, signature, _ := cutLast(token, ".")
	header, payload, _ := strings.Cut(signed, ".")
	point, err := base64.RawURLEncoding.DecodeString(public)
	if err != nil {
		return c, err
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return c, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(signature)
	const half = 32
	if err != nil || len(raw) != 2*half {
		return c, fmt.Errorf("the signature has %d bytes: %w", len(raw), err)
	}
	hash := sha256.Sum256([]byte(signed))
	if !ecdsa.Verify(key, hash[:], new(big.Int).SetBytes(raw[:half]), new(big.Int).SetBytes(raw[half:])) {
		return c, errors.New("the signature is broken")
	}
	var head struct{ Alg string }
	return c, errors.Join(decodeJSON(header, &head), decodeJSON(payload, &c), wantES256(head.Alg))
}

func wantES256(alg string) error {
	if alg != "ES256" {
		return fmt.Errorf("the algorithm is %s", alg)
	}
	return nil
}

func decodeJSON(part string, into any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
