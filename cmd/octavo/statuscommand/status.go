// Package statuscommand has the command that shows how a running server is.
package statuscommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/acme"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// Command is octavo status.
type Command struct{ terminal.AsJSON }

// Status is what the command prints.
type Status struct {
	Running     bool               `json:"running"`
	Version     string             `json:"version"`           // of the server, or of this program if there is none
	Address     string             `json:"address,omitempty"` // for people
	Health      Health             `json:"health"`
	StartedAt   *time.Time         `json:"startedAt,omitempty"`
	Requests    *Requests          `json:"requests,omitempty"`
	Queues      map[string]Queue   `json:"queues,omitempty"`
	Certificate *Certificate       `json:"certificate,omitempty"` // of HTTPS=auto
	Backup      *Backup            `json:"backup,omitempty"`
	elsewhere   bool               // Postgres has the data, and backups of its own
	Faults      []operations.Fault `json:"faults"`
	Notes       []string           `json:"notes,omitempty"` // what could not be read, and why
}

// Health is the answer of /readyz.
type Health struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

// Requests counts those since the start.
type Requests struct {
	All    int `json:"all"`
	Failed int `json:"failed"` // answered with 5xx
}

// Queue is what waits somewhere, and what was given up.
type Queue struct {
	Waiting       int     `json:"waiting"`
	Dead          int     `json:"dead"`
	OldestSeconds float64 `json:"oldestSeconds"`
}

// Certificate is that of HTTPS=auto.
type Certificate struct {
	Domain  string    `json:"domain"`
	Expires time.Time `json:"expires"`
	Late    bool      `json:"late"` // should have been renewed
}

// Backup is the last one.
type Backup struct {
	At         time.Time `json:"at"`
	AgeSeconds int       `json:"ageSeconds"`
}

const timeout = 5 * time.Second

// Run asks the server of these settings on this machine. It fails if there is none, or if it is down.
func (c Command) Run(ctx context.Context, s *config.Settings, out terminal.Console) error {
	s.DeriveAddresses(nil)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	now := out.Clock.Now()
	st := Status{Version: config.Version(), Address: s.Server.BaseURL, Health: Health{Status: "not running"}, Faults: []operations.Fault{}}
	server := client{base: "http://" + s.LocalAddress(nil), token: s.Monitoring.MetricsToken}
	if err := server.read(ctx, "/readyz", &st.Health); err == nil {
		st.Running = true
		st.readServer(ctx, server)
	}
	st.readFiles(ctx, s, now)
	if err := c.Print(out.Out, st, func(w io.Writer) error { return st.print(w, now) }); err != nil {
		return err
	}
	if !st.Running || st.Health.Status == "down" {
		return terminal.ErrSilent
	}
	return nil
}

// readServer reads metrics and faults. Without METRICS_TOKEN the server shows them to this machine.
func (st *Status) readServer(ctx context.Context, server client) {
	text, err := server.get(ctx, "/metrics")
	if err != nil {
		st.Notes = append(st.Notes, "metrics: "+config.OneLine(err))
		return
	}
	st.fill(parseMetrics(string(text)))
	if err := server.read(ctx, "/metrics/faults", &st.Faults); err != nil {
		st.Notes = append(st.Notes, "faults: "+config.OneLine(err))
	}
}

// readFiles reads what DATA_DIR says.
func (st *Status) readFiles(ctx context.Context, s *config.Settings, now time.Time) {
	st.elsewhere = !s.SQLite()
	if at, known := s.LastBackup(); known {
		st.Backup = &Backup{at, int(now.Sub(at).Seconds())}
	}
	if !s.AutoHTTPS() {
		return
	}
	stored, err := acme.ReadStored(ctx, s.CertificateFolder(), s.Server.Domain)
	if err != nil {
		st.Notes = append(st.Notes, "certificate: "+config.OneLine(err))
		return
	}
	st.Certificate = &Certificate{s.Server.Domain, stored.Until, stored.Late(now)}
}

// client asks a server on this machine.
type client struct{ base, token string }

const maxAnswer = 8 << 20

func (c client) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return nil, errors.New("the server has another METRICS_TOKEN than these settings")
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable { // /readyz of a server that is down
		return nil, fmt.Errorf("%s answers %s", path, resp.Status)
	}
	return body, nil
}

func (c client) read(ctx context.Context, path string, into any) error {
	body, err := c.get(ctx, path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
