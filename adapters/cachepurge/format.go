package cachepurge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/application/market"
)

// Config says which cache to purge.
type Config struct {
	URL    string // to which purges are sent
	Token  string // proves that we may purge; may be empty for Varnish
	Format string // one of Formats
}

// format is how a kind of cache wants to be told.
type format struct {
	header     string // with the keys, in the responses that it caches
	separator  string // of the keys in that header
	perRequest int    // keys that one purge may have
	token      bool   // required
	request    func(ctx context.Context, c Config, keys []market.SurrogateKey) (*http.Request, error)
}

var formats = map[string]format{
	"varnish":    {surrogateKey, " ", 200, false, varnishRequest},
	"fastly":     {surrogateKey, " ", 200, true, fastlyRequest},
	"cloudflare": {"Cache-Tag", ",", 100, true, cloudflareRequest},
}

const surrogateKey = "Surrogate-Key"

// Formats are the kinds of caches.
func Formats() []string { return []string{"varnish", "fastly", "cloudflare"} }

// The errors of Config.Validate.
var (
	ErrURL    = errors.New("must begin with http:// or https:// and name a host")
	ErrFormat = errors.New("must be one of " + strings.Join(Formats(), ", "))
	ErrToken  = errors.New("fastly and cloudflare need a token")
)

// Validate returns an error for the first invalid field.
func (c Config) Validate() error {
	f, ok := formats[c.Format]
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return ErrURL
	case !ok:
		return ErrFormat
	case f.token && c.Token == "":
		return ErrToken
	}
	return nil
}

// Header returns the header in which this cache expects the keys of a response, and what
// separates them there.
func (c Config) Header() (name, separator string) {
	return formats[c.Format].header, formats[c.Format].separator
}

// varnishRequest is what the configuration in docs/recipes/varnish.md understands.
func varnishRequest(ctx context.Context, c Config, keys []market.SurrogateKey) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, "PURGE", c.URL, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(surrogateKey, joined(keys))
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	return r, nil
}

// fastlyRequest follows the documentation of Fastly's "Purge multiple surrogate key tags".
func fastlyRequest(ctx context.Context, c Config, keys []market.SurrogateKey) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(surrogateKey, joined(keys))
	r.Header.Set("Fastly-Key", c.Token)
	r.Header.Set("Accept", "application/json")
	return r, nil
}

// cloudflareRequest follows the documentation of Cloudflare's "Purge Cached Content".
func cloudflareRequest(ctx context.Context, c Config, keys []market.SurrogateKey) (*http.Request, error) {
	body, err := json.Marshal(map[string][]market.SurrogateKey{"tags": keys})
	if err != nil {
		return nil, fmt.Errorf("cachepurge: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+c.Token)
	return r, nil
}

func joined(keys []market.SurrogateKey) string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = string(k)
	}
	return strings.Join(all, " ")
}
