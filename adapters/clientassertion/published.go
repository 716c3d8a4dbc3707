package clientassertion

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/octavo-books/octavo/domain/machine"
)

const (
	fetchTimeout = 5 * time.Second
	// freshFor is how long fetched keys are used without asking again.
	freshFor = 5 * time.Minute
	// staleFor is how long they are used if the address does not answer. A key that its owner has withdrawn
	// must not work for ever because the address is down.
	staleFor = time.Hour
	// askAgain is how long after a fetch an unknown key causes another one.
	askAgain = 30 * time.Second
)

// published caches the keys that clients publish.
type published struct {
	http *http.Client
	now  func() time.Time
	mu   sync.Mutex
	sets map[string]*fetched // by address; as many as there are machines
}

// fetched is what an address has answered. Its lock is held while it is asked, so that many requests ask once.
type fetched struct {
	mu          sync.Mutex
	keys        []jose.JSONWebKey
	at, triedAt time.Time
}

func newPublished(client *http.Client, now func() time.Time) *published {
	return &published{http: client, now: now, sets: map[string]*fetched{}}
}

func (p *published) set(url string) *fetched {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sets[url] == nil {
		p.sets[url] = &fetched{}
	}
	return p.sets[url]
}

// keys returns the keys at an address; machine.ErrKeysUnknown if there are none that are young enough. It asks again
// for a key that it does not know.
func (p *published) keys(ctx context.Context, url, kid string) ([]jose.JSONWebKey, error) {
	f := p.set(url)
	f.mu.Lock()
	defer f.mu.Unlock()
	now := p.now()
	known := kid == "" || slices.ContainsFunc(f.keys, func(k jose.JSONWebKey) bool { return k.KeyID == kid })
	if (now.Sub(f.at) >= freshFor || !known) && now.Sub(f.triedAt) >= askAgain {
		f.triedAt = now
		if keys, err := p.fetch(ctx, url); err == nil {
			f.keys, f.at = keys, now
		}
	}
	if now.Sub(f.at) >= staleFor {
		return nil, machine.ErrKeysUnknown
	}
	return f.keys, nil
}

func (p *published) fetch(ctx context.Context, url string) ([]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := p.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the JWKS of a machine: %s", answer.Status)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	return parse(text)
}
