package assembly

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/sources"
	"github.com/octavo-books/octavo/domain/event"
	"go.uber.org/fx"
)

// webhookPageDeps are the dependencies of the pages under /webhooks.
type webhookPageDeps struct {
	fx.In
	Settings *config.Settings
	Parts    config.Components
	Service  *inbox.Service
	Sources  *sources.Sources
	Pages    *web.Pages `optional:"true"` // nil without accounts
	Listener net.Listener
	Random   io.Reader
	Clock    system.Clock
	Log      *slog.Logger
}

// newWebhookPages serves the pages under /webhooks. If the process serves accounts, they are
// for admins. Otherwise they require WEBHOOK_API_TOKEN; without it they are off in production
// and restricted to this machine in development.
func newWebhookPages(d webhookPageDeps) (ginserver.Group, error) {
	s := d.Settings
	if !d.Parts.Identity() && s.Webhooks.APIToken == "" && s.Production() {
		d.Log.Info(pagesOff)
		off := gin.WrapF(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, pagesOff, http.StatusNotFound) })
		return ginserver.Group{Below: inspector.Base, NoRoute: off, NoMethod: off}, nil
	}
	o := inspector.Options{
		Access: d.access(), Sources: d.sources, Secure: s.Cookies().Secure, Accent: s.Server.AccentColor, Clock: d.Clock, Log: d.Log,
		Example: d.example(), Send: d.send,
	}
	if d.Parts.Market {
		o.Home = "/"
	}
	pages, err := inspector.New(d.Service, o)
	if err != nil {
		return ginserver.Group{}, err
	}
	if slices.Contains(pages.FormPaths(), s.Webhooks.Path) {
		return ginserver.Group{}, config.Errorf("WEBHOOK_PATH", "%s belongs to the pages under %s", s.Webhooks.Path, inspector.Base)
	}
	h := gin.WrapH(pages)
	return ginserver.Group{Below: inspector.Base, NoRoute: h, NoMethod: h, Refuse: pages.WriteError, Mount: func(e *gin.Engine) error {
		e.GET(inspector.Base, h)
		e.GET(inspector.Base+"/*page", h)
		for _, path := range pages.FormPaths() {
			e.POST(path, h)
		}
		return nil
	}}, nil
}

// send sends a sample to a source.
func (d webhookPageDeps) send(ctx context.Context, source, name string) (id string, err error) {
	return d.Sources.SendSample(ctx, d.Settings.LocalAddress(d.Listener.Addr()), source, name)
}

// sources returns the names of all sources, that of Octavo's own events too.
func (d webhookPageDeps) sources() []string {
	names := d.Sources.Names()
	if d.Parts.Identity() {
		return append(slices.Clone(names), event.Source)
	}
	return names
}

// example is a command that sends a first delivery. A secret that development has generated
// is in DATA_DIR.
func (d webhookPageDeps) example() string {
	s, folder := d.Settings, ""
	if path, err := filepath.Abs(d.Settings.Storage.DataDir); err == nil && s.Webhooks.Secret == "" {
		folder = " --data-dir '" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return "octavo webhooks send push --to http://" + s.LocalAddress(d.Listener.Addr()) + s.Webhooks.Path + folder
}

const pagesOff = "The pages under /webhooks are off. Set WEBHOOK_API_TOKEN to open them."

// access returns who may see the pages.
func (d webhookPageDeps) access() inspector.Access {
	switch {
	case d.Parts.Identity():
		signIn := ""
		if d.Parts.Market {
			signIn = "/login"
		}
		return inspector.ForAdmins(d.Pages.Caller, signIn)
	case d.Settings.Webhooks.APIToken != "":
		return inspector.WithToken(d.Settings.Webhooks.APIToken, d.Random, d.Clock.Now)
	}
	// BASE_URL's host does not count: it may belong to a tunnel through which senders reach
	// this machine.
	return inspector.ForThisMachine(httpx.NewDirectAccess("").IsLocal)
}
