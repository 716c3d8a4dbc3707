package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
)

// finding is what a check has to say. Advice goes with what is not well.
type finding struct {
	name   string
	state  string
	says   string
	advice string
}

// How a check may end.
const (
	well    = "ok"
	unusual = "warn" // works, but look at it
	unwell  = "FAIL"
)

func fine(name, says string, args ...any) finding {
	return finding{name: name, state: well, says: fmt.Sprintf(says, args...)}
}

func ill(name string, err error, advice string) finding {
	return finding{name, unwell, config.OneLine(err), advice}
}

func doubtful(name, says, advice string) finding { return finding{name, unusual, says, advice} }

const examination = 10 * time.Second // of each dependency

// Doctor looks at the settings and at every dependency that the named components
// need, prints what it finds and what to do, and reports whether all can work. It
// makes nothing that was not there. A
// refused setting is an config.ErrSetting.
//
// Deep, it reads every table and index too, for as long as it takes.
func Doctor(ctx context.Context, s config.Settings, names []string, deep bool, out io.Writer) (healthy bool, err error) {
	parts, err := config.ParseComponents(names)
	if err != nil {
		return false, err
	}
	if err := errors.Join(s.Validate(), parts.Check(&s)); err != nil {
		return false, err
	}
	s.DeriveAddresses(nil)
	healthy = true
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	look := func(ctx context.Context, examine func(context.Context, *config.Settings, config.Components) []finding) {
		for _, f := range examine(ctx, &s, parts) {
			healthy = healthy && f.state != unwell
			f.print(w)
		}
	}
	for _, examine := range []func(context.Context, *config.Settings, config.Components) []finding{
		settingsFindings, addressFindings, folderFindings, portFindings, keyFindings, databaseFindings, mismatchFindings, redisFindings, queueFindings, mailFindings, traceFindings, ruleFindings,
	} {
		ctx, cancel := context.WithTimeout(ctx, examination)
		look(ctx, examine)
		cancel()
	}
	if deep {
		look(ctx, deepFindings)
	}
	return healthy, w.Flush()
}

func (f finding) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.state, f.name, f.says)
	if f.advice != "" {
		_, _ = fmt.Fprintf(w, "\t\t→ %s\n", f.advice)
	}
}

func settingsFindings(_ context.Context, s *config.Settings, parts config.Components) []finding {
	all := []finding{fine("settings", "%s, for %s at %s", s.Server.Env, parts, s.Server.BaseURL)}
	if !s.Production() {
		return append(all, doubtful("environment", "development: keys may be generated, mails are shown to everybody",
			"set OCTAVO_ENV=production before others use it"))
	}
	if len(s.Server.TrustedProxies) == 0 && (parts.Identity() || parts.Webhooks) {
		all = append(all, doubtful("proxies", "TRUSTED_PROXIES is empty: behind a balancer all clients look like one, and share its limits",
			"name the balancer's network, e.g. TRUSTED_PROXIES=10.0.0.0/8"))
	}
	return all
}

// addressFindings look at what links in mails begin with.
func addressFindings(_ context.Context, s *config.Settings, parts config.Components) []finding {
	u, err := url.Parse(s.Server.BaseURL)
	if err != nil || !parts.Identity() && !parts.Mailer {
		return nil
	}
	switch {
	case s.Production() && config.IsLoopback(u.Hostname()):
		return []finding{doubtful("address", "links in mails lead to "+s.Server.BaseURL+", which is each reader's own machine",
			"set BASE_URL to the address that people use, e.g. https://books.example.edu")}
	case u.Path != "":
		return []finding{doubtful("address", "BASE_URL has the path "+u.Path+", which Octavo's own pages are not below",
			"let the proxy strip it, or serve Octavo at a name of its own")}
	case u.Scheme == "https" && s.Server.CookieSecure == "false":
		return []finding{doubtful("address", "cookies of "+s.Server.BaseURL+" are sent over plain HTTP, too", "set COOKIE_SECURE=true")}
	}
	return nil
}

const roomWanted = 512 << 20

func folderFindings(_ context.Context, s *config.Settings, _ config.Components) []finding {
	all := []finding{folderFinding("data folder", s.Storage.DataDir, "DATA_DIR")}
	if path, embedded := strings.CutPrefix(s.Storage.DatabaseURL, "sqlite:"); embedded && filepath.Dir(path) != filepath.Clean(s.Storage.DataDir) {
		all = append(all, folderFinding("database folder", filepath.Dir(path), "the folder of DATABASE_URL"))
	}
	return all
}

func folderFinding(name, dir, setting string) finding {
	if config.FileMissing(dir) {
		if setting == "DATA_DIR" {
			return fine(name, "%s is made when serving", dir)
		}
		return ill(name, fmt.Errorf("%s does not exist", dir), "make it, and let the user that runs Octavo write to it")
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return ill(name, err, "let the user that runs Octavo write to "+setting)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return ill(name, err, "look at the file system of "+setting)
	}
	free, err := freeSpace(dir)
	if err != nil {
		return ill(name, err, "look at the file system of "+setting)
	}
	if free < roomWanted {
		return doubtful(name, fmt.Sprintf("%s has %d MB left", dir, free>>20), "make room before writes fail")
	}
	return fine(name, "%s is writable, %d MB free", dir, free>>20)
}

func portFindings(ctx context.Context, s *config.Settings, _ config.Components) []finding {
	address := net.JoinHostPort(s.Server.Host, strconv.Itoa(s.Server.Port))
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err == nil {
		err = l.Close()
	}
	if err == nil {
		return []finding{fine("port", "%s is free", address)}
	}
	if Running(ctx, *s) == nil {
		return []finding{fine("port", "%s: Octavo is running there", address)}
	}
	return []finding{ill("port", err, "choose another HOST or PORT, or stop who has it")}
}

// Running is nil if the server of these settings lives on this machine.
func Running(ctx context.Context, s config.Settings) error {
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
