package samlsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
)

const (
	metadataLifetime = time.Hour       // of metadata at an address; keys that were withdrawn are used for no longer
	fileLifetime     = time.Minute     // of metadata in a file
	staleLifetime    = 5 * time.Minute // after a failure, while there are older metadata
	retryAfter       = 2 * time.Second // after a failure; until then nobody waits for another one
	loadTimeout      = 2 * time.Minute
)

// source holds the newest metadata of a provider.
type source struct {
	provider Provider
	now      func() time.Time
	http     *http.Client  // nil for a file
	turn     chan struct{} // held while metadata are loaded
	state    chan state    // has one value
}

type state struct {
	known   *catalogue
	version string // of the known: an ETag, or the time and size of a file
	until   time.Time
	failed  error // of the last try; nil after a success
	retryAt time.Time
}

func newSource(p Provider, o Options) (*source, error) {
	s := &source{provider: p, now: o.Now, turn: make(chan struct{}, 1), state: make(chan state, 1)}
	s.state <- state{}
	if !IsAddress(p.Metadata) {
		return s, nil
	}
	if err := outbound.CheckAddress(p.Metadata, o.Development); err != nil {
		return nil, err
	}
	web := outbound.Web{Agent: o.Agent, Private: p.Private, Development: o.Development, Timeout: loadTimeout, MaxBody: maxMetadata}
	s.http = web.Client()
	return s, nil
}

// IsAddress reports whether metadata are at an address, and not in a file.
func IsAddress(metadata string) bool { return strings.Contains(metadata, "://") }

func (s *source) close() {
	if s.http != nil {
		s.http.CloseIdleConnections()
	}
}

// peek returns the state.
func (s *source) peek() state {
	now := <-s.state
	s.state <- now
	return now
}

// current returns the metadata. Old ones stay in use while newer ones are loaded, and while there
// are none to be had.
func (s *source) current(ctx context.Context) (*catalogue, error) {
	now := s.peek()
	if now.known != nil {
		if !s.now().Before(now.until) {
			go s.refresh(context.WithoutCancel(ctx))
		}
		return now.known, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if now = s.peek(); now.known == nil && !s.now().Before(now.retryAt) {
		now = s.load(context.WithoutCancel(ctx)) // others wait for it, too
	}
	if now.known == nil {
		return nil, now.failed
	}
	return now.known, nil
}

// refresh loads newer metadata, unless somebody does so already.
func (s *source) refresh(ctx context.Context) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	default:
		return
	}
	if !s.now().Before(s.peek().until) {
		s.load(ctx)
	}
}

// load loads the metadata. The caller holds the turn.
func (s *source) load(ctx context.Context) state {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	next := s.peek()
	found, version, err := s.read(ctx, next.version)
	now := s.now()
	switch {
	case err != nil:
		next.failed, next.retryAt, next.until = err, now.Add(retryAfter), now.Add(staleLifetime)
	case found != nil:
		next = state{known: found, version: version, until: now.Add(s.lifetime())}
	default: // they have not changed
		next.failed, next.until = nil, now.Add(s.lifetime())
	}
	<-s.state
	s.state <- next
	return next
}

func (s *source) lifetime() time.Duration {
	if s.http == nil {
		return fileLifetime
	}
	return metadataLifetime
}

// read returns nil if the metadata still have the known version.
func (s *source) read(ctx context.Context, known string) (*catalogue, string, error) {
	if s.http == nil {
		return s.readFile(known)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.provider.Metadata, nil)
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Accept", "application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1")
	if known != "" {
		r.Header.Set("If-None-Match", known)
	}
	resp, err := s.http.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	switch {
	case known != "" && resp.StatusCode == http.StatusNotModified:
		return nil, known, nil
	case resp.StatusCode != http.StatusOK:
		return nil, "", fmt.Errorf("the address of the metadata answers %s", resp.Status)
	}
	found, err := s.parse(resp.Body)
	return found, resp.Header.Get("ETag"), err
}

func (s *source) readFile(known string) (*catalogue, string, error) {
	file, err := os.Open(s.provider.Metadata)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, "", err
	}
	version := fmt.Sprint(info.ModTime().UnixNano(), info.Size())
	if version == known {
		return nil, known, nil
	}
	found, err := s.parse(file)
	return found, version, err
}

func (s *source) parse(from io.Reader) (*catalogue, error) {
	found, err := loadMetadata(from, s.provider.Signers, s.provider.EntityID)
	if err == nil && found.aggregate && s.http != nil && s.provider.Signers == nil {
		err = errors.New("an aggregate from an address needs metadataCert, the certificate of the federation that signs it")
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}
