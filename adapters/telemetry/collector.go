package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collectorClient sends spans by OTLP/HTTP with protobuf. The client of the
// OpenTelemetry library would add 2 MB of gRPC gateway to the binary.
type collectorClient struct {
	url     string
	headers map[string]string
	http    *http.Client
}

func newCollectorClient(c Config) *collectorClient {
	return &collectorClient{url: c.Endpoint, headers: c.Headers, http: &http.Client{
		Timeout:       c.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Check sends an empty export to the collector and returns its error.
func (c Config) Check(ctx context.Context) error {
	return newCollectorClient(c).UploadTraces(ctx, nil)
}

// Start implements otlptrace.Client.
func (*collectorClient) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collectorClient) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

const maxTries = 3

// UploadTraces implements otlptrace.Client. It retries the failures that OTLP calls
// retryable, after a pause; the SDK limits the total time through ctx.
func (c *collectorClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		retryable, err := c.post(ctx, body)
		if err == nil || !retryable || try == maxTries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * time.Second):
		}
	}
}

func (c *collectorClient) post(ctx context.Context, body []byte) (retryable bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", "Octavo")
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return false, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be reused
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		retryable = true
	}
	if resp.StatusCode/100 != 2 {
		return retryable, fmt.Errorf("the collector at %s answered %s", c.url, resp.Status)
	}
	return false, nil
}
