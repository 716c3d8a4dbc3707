package sources

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
)

// PageDeps are what the pages under /webhooks need of a program.
type PageDeps struct {
	Parts  config.Components
	Caller func(http.ResponseWriter, *http.Request) (user.Caller, error) // nil without accounts
	At     net.Addr                                                      // where the program listens
	Random io.Reader
	Clock  system.Clock
	Log    *slog.Logger
}

const pagesOff = "The pages under /webhooks are off. Set WEBHOOK_API_TOKEN to open them."

// PagesOff answers where there are no pages.
func PagesOff(w http.ResponseWriter, _ *http.Request) { http.Error(w, pagesOff, http.StatusNotFound) }

// NewPages makes the pages under /webhooks. If the process serves accounts, they are
// for admins. Otherwise they require WEBHOOK_API_TOKEN; without it they are off in production, where it returns
// nil, and restricted to this machine in development.
func (w *Sources) NewPages(d PageDeps) (*inspector.Pages, error) {
	s := w.settings
	if !d.Parts.Identity() && s.Webhooks.APIToken == "" && s.Production() {
		d.Log.Info(pagesOff)
		return nil, nil //nolint:nilnil // they are off
	}
	at := s.LocalAddress(d.At)
	o := inspector.Options{
		Access: w.access(d), Secure: s.Cookies().Secure, Accent: s.Server.AccentColor, Clock: d.Clock, Log: d.Log, Example: w.example(at),
		Sources: func() []string {
			if d.Parts.Identity() { // Octavo's own events are one, too
				return append(slices.Clone(w.names()), event.Source)
			}
			return w.names()
		},
		Send: func(ctx context.Context, source, name string) (string, error) {
			return w.sendSample(ctx, at, source, name)
		},
	}
	if d.Parts.Market {
		o.Home = "/"
	}
	pages, err := inspector.New(w.service.Admin, o)
	if err == nil && slices.Contains(pages.FormPaths(), s.Webhooks.Path) {
		err = config.Errorf("WEBHOOK_PATH", "%s belongs to the pages under %s", s.Webhooks.Path, inspector.Base)
	}
	return pages, err
}

// example is a command that sends a first delivery. A secret that development has generated
// is in DATA_DIR.
func (w *Sources) example(at string) string {
	s, folder := w.settings, ""
	if path, err := filepath.Abs(s.Storage.DataDir); err == nil && s.Webhooks.Secret == "" {
		folder = " --data-dir '" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return "octavo webhooks send push --to http://" + at + s.Webhooks.Path + folder
}

// access returns who may see the pages.
func (w *Sources) access(d PageDeps) inspector.Access {
	switch {
	case d.Parts.Identity():
		signIn := ""
		if d.Parts.Market {
			signIn = "/login"
		}
		return inspector.ForAdmins(d.Caller, signIn)
	case w.settings.Webhooks.APIToken != "":
		return inspector.WithToken(w.settings.Webhooks.APIToken, d.Random, d.Clock.Now)
	}
	// BASE_URL's host does not count: it may belong to a tunnel through which senders reach
	// this machine.
	return inspector.ForThisMachine(httpx.NewDirectAccess("").IsLocal)
}
