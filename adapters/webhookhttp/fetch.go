package webhookhttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
)

const (
	maxDocument  = 64 << 10
	fetchTimeout = 5 * time.Second
)

// vendorClient fetches certificates of senders; the receiver passes only URLs of the senders'
// own hosts.
type vendorClient struct{ client *http.Client }

// NewFetcher returns how Handler fetches certificates of senders: over https, without
// redirects, in a few seconds.
func NewFetcher() receiver.Fetcher {
	return vendorClient{&http.Client{
		Timeout:       fetchTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Fetch implements receiver.Fetcher.
func (c vendorClient) Fetch(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the host answered %d", answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = fmt.Errorf("the answer is larger than %d bytes", maxDocument)
	}
	return text, err
}
