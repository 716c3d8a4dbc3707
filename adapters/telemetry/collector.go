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

// collector takes spans by OTLP over HTTP, as protobuf. The library's own client
// would bring gRPC's gateway along, 2 MB of it.
type collector struct {
	url     string
	headers map[string]string
	http    *http.Client
}

func newCollector(c Config) *collector {
	return &collector{url: c.Endpoint, headers: c.Headers, http: &http.Client{
		Timeout:       c.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Check asks the collector to take nothing, and says why it does not.
func (c Config) Check(ctx context.Context) error {
	return newCollector(c).UploadTraces(ctx, nil)
}

// Start implements otlptrace.Client.
func (*collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

const tries = 3

// UploadTraces implements otlptrace.Client. As OTLP has it, what passes is tried
// again after a pause; the SDK bounds it all by ctx.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		again, err := c.post(ctx, body)
		if err == nil || !again || try == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * time.Second):
		}
	}
}

func (c *collector) post(ctx context.Context, body []byte) (again bool, err error) {
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
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	if resp.StatusCode/100 != 2 {
		return again, fmt.Errorf("the collector at %s answered %s", c.url, resp.Status)
	}
	return false, nil
}
