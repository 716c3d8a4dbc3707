package receiver

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Fetcher gets a small document of a sender over https: a certificate, or the page that
// confirms a subscription. The receiver only passes URLs at the sender's own hosts. Fetch
// follows no redirects and returns an error for any status but 200.
type Fetcher interface {
	Fetch(ctx context.Context, url string) ([]byte, error)
}

// errBusy says that enough is being fetched; it is no property of a certificate.
var errBusy = errors.New("receiver: too many certificates are being fetched")

var errUnfetched = fault.New(
	fault.Unavailable, "certificate", "The sender's certificate could not be fetched. Please send the delivery again later.",
)

// The limits of what a request can make the receiver fetch: anybody can name a certificate.
const (
	maxCertificates = 32
	keepCertificate = time.Hour
	keepFailure     = 10 * time.Second
	maxFetching     = 4
)

// vendor fetches certificates and remembers their keys.
type vendor struct {
	mu       sync.Mutex
	fetcher  Fetcher
	keys     map[string]fetched
	fetching int
}

// fetched is the key of a certificate, or why there is none.
type fetched struct {
	key   *rsa.PublicKey
	err   error
	until time.Time
}

func (v *vendor) set(f Fetcher) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fetcher = f
}

// SetFetcher is WithFetcher for an existing receiver that has none.
func (r *Receiver) SetFetcher(f Fetcher) {
	r.vendor.mu.Lock()
	defer r.vendor.mu.Unlock()
	if r.vendor.fetcher == nil {
		r.vendor.fetcher = f
	}
}

// PublicKey returns the key of the certificate that the request names, nil for a sender
// without certificates. The errors are ErrSignatureMismatch for a certificate that is not
// at a host of the sender, and a fault.Unavailable.
func (r *Receiver) PublicKey(ctx context.Context, req webhook.Request) (any, error) {
	url, err := r.Sender().CertificateURL(req)
	switch {
	case err != nil:
		return nil, ErrSignatureMismatch
	case url == "":
		return nil, nil
	}
	now := r.now()
	found, known := r.vendor.known(url, now)
	if !known {
		found = r.vendor.learn(ctx, url, now)
	}
	if found.err != nil {
		return nil, found.err
	}
	return found.key, nil
}

func (v *vendor) known(url string, now time.Time) (fetched, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	found, ok := v.keys[url]
	return found, ok && now.Before(found.until)
}

// learn fetches a certificate and remembers its key, or the failure for a moment.
func (v *vendor) learn(ctx context.Context, url string, now time.Time) fetched {
	one := fetched{until: now.Add(keepCertificate)}
	text, err := v.fetch(ctx, url)
	if err == nil {
		if one.key, one.until, err = parseCertificate(text, now); err != nil {
			err = errors.Join(errUnfetched.After(time.Minute), err)
		}
	}
	if err != nil {
		one = fetched{err: err, until: now.Add(keepFailure)}
	}
	if errors.Is(err, errBusy) {
		return one
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys == nil || len(v.keys) >= maxCertificates {
		v.keys = map[string]fetched{}
	}
	v.keys[url] = one
	return one
}

// fetch fetches a document. The error is a fault.Unavailable.
func (v *vendor) fetch(ctx context.Context, url string) ([]byte, error) {
	v.mu.Lock()
	fetcher := v.fetcher
	if fetcher == nil || v.fetching == maxFetching {
		v.mu.Unlock()
		return nil, errors.Join(errUnfetched.After(time.Second), errBusy)
	}
	v.fetching++
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.fetching--
	}()
	text, err := fetcher.Fetch(ctx, url)
	if err != nil {
		return nil, errors.Join(errUnfetched.After(time.Minute), fmt.Errorf("fetch %.200q: %w", url, err))
	}
	return text, nil
}

// parseCertificate returns the RSA key of a certificate that is valid now, and until when to
// remember it.
func parseCertificate(text []byte, now time.Time) (*rsa.PublicKey, time.Time, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, now, errors.New("the certificate is not in PEM")
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, now, err
	}
	key, ok := c.PublicKey.(*rsa.PublicKey)
	if !ok || now.Before(c.NotBefore) || now.After(c.NotAfter) {
		return nil, now, errors.New("the certificate has no RSA key, or is not valid now")
	}
	until := now.Add(keepCertificate)
	if c.NotAfter.Before(until) {
		until = c.NotAfter
	}
	return key, until, nil
}
