// Package doctor checks settings, databases and other dependencies and says what an
// operator should do about what it finds.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
)

const checkTimeout = 10 * time.Second // of each check

// check examines one dependency of the components.
type check func(context.Context, *config.Settings, config.Components) []finding

var checks = []check{
	checkSettings, checkAddresses, checkFolders, checkPort, checkKeys, checkIDTokenKey, checkDatabases, checkStandby, checkEvents, checkMismatches,
	checkBlobs, checkRedis, checkQueue, checkMail, checkSupport, checkTraces, checkCachePurge, checkProviders, checkISBNTable, checkSources, checkRules, checkAlerts,
}

// Options choose what Examine checks and how it prints.
type Options struct {
	Components []string                       // names; none means config.All
	Deep       bool                           // read every table and index, without a time limit
	Paint      func(code, text string) string // colours for a terminal
}

// Examine checks the settings and every dependency of the components, prints what it
// finds and what to do, and reports whether everything can work. It creates nothing.
func Examine(ctx context.Context, s config.Settings, o Options, out io.Writer) (healthy bool, err error) {
	parts, err := config.ParseComponents(o.Components)
	if err != nil {
		return false, err
	}
	if err := errors.Join(s.Validate(), parts.Check(&s)); err != nil {
		return false, err
	}
	s.DeriveAddresses(nil)
	healthy = true
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	run := func(ctx context.Context, c check) {
		for _, f := range c(ctx, &s, parts) {
			healthy = healthy && f.state != failure
			f.print(w, o.Paint)
		}
	}
	for _, c := range checks {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		run(ctx, c)
		cancel()
	}
	if o.Deep {
		run(ctx, checkDeeply)
	}
	return healthy, w.Flush()
}

// CheckRunning asks the server of these settings on this machine whether it is alive.
func CheckRunning(ctx context.Context, s config.Settings) error {
	address := "http://" + s.LocalAddress(nil) + "/healthz"
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, resp.Status)
	}
	return nil
}
