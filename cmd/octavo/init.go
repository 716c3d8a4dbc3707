package main

import (
	"crypto/rand"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/envfile"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

//go:embed templates
var templates embed.FS

type initCommand struct {
	Dir   string `arg:"" optional:"" default:"." help:"The folder, created if necessary. Default: this one."`
	Group string `placeholder:"GROUP" help:"A group that may read the folder, its files and those that are added later: that of the service's user."`
}

// initial is the data of the templates of octavo init.
type initial struct {
	Env, PublicKey, PrivateKey, Providers, Sources, Rules string // paths
	DataDir                                               string
	WebhookSecret, SourceSecret, MetricsToken             string
}

// Run writes a first configuration. It never overwrites: if one of the files exists, it
// writes none.
func (i initCommand) Run(s *config.Settings, c terminal.Console, parsed *kong.Context) error {
	dir, err := filepath.Abs(i.Dir)
	if err != nil {
		return err
	}
	if strings.ContainsAny(dir, "\n\r") {
		return config.Errorf("DIR", "a line break in %q does not fit into an env file", dir)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	v := initial{
		Env: in("octavo.env"), PublicKey: in("public.pem"), PrivateKey: in("private.pem"), Providers: in("oidc-providers.yaml"),
		Sources: in("webhook-sources.yaml"), Rules: in("webhook-rules.yaml"),
		DataDir: in(s.Storage.DataDir), WebhookSecret: randomHex(), SourceSecret: randomHex(), MetricsToken: randomHex(),
	}
	if filepath.IsAbs(s.Storage.DataDir) {
		v.DataDir = s.Storage.DataDir
	}
	files, err := v.files(parsed.Model)
	if err != nil {
		return err
	}
	share, err := shareWith(i.Group)
	if err != nil {
		return err
	}
	if err := writeNew(files); err != nil {
		return err
	}
	if err := share(dir, files); err != nil {
		return err
	}
	return v.printNext(c, files)
}

func randomHex() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// newFile is a file to write.
type newFile struct{ path, content string }

func (v initial) files(app *kong.Application) ([]newFile, error) {
	public, private, err := token.Generate()
	if err != nil {
		return nil, err
	}
	quoted := v
	for _, path := range []*string{
		&quoted.Env, &quoted.PublicKey, &quoted.PrivateKey, &quoted.Providers, &quoted.Sources, &quoted.Rules, &quoted.DataDir,
	} {
		*path = envfile.Quote(*path)
	}
	env, err := render("octavo.env", quoted)
	if err != nil {
		return nil, err
	}
	providers, err := render("oidc-providers.yaml", quoted)
	if err != nil {
		return nil, err
	}
	sources, err := render("webhook-sources.yaml", quoted)
	if err != nil {
		return nil, err
	}
	rules, err := render("webhook-rules.yaml", quoted)
	return []newFile{
		{v.Env, commentEach(env, app) + otherSettings(env, app)}, {v.PublicKey, public}, {v.PrivateKey, private}, {v.Providers, providers},
		{v.Sources, sources}, {v.Rules, rules},
	}, err
}

func render(name string, v initial) (string, error) {
	t, err := template.ParseFS(templates, "templates/"+name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, v)
	return b.String(), err
}

// writeNew writes all files, readable by their owner alone, or none.
func writeNew(files []newFile) error {
	var exist []string
	for _, f := range files {
		if _, err := os.Lstat(f.path); err == nil {
			exist = append(exist, f.path)
		}
	}
	if exist != nil {
		return fmt.Errorf("nothing was written, because these files exist: %s", strings.Join(exist, ", "))
	}
	for n, f := range files {
		err := os.MkdirAll(filepath.Dir(f.path), 0o700)
		if err == nil {
			err = createFile(f)
		}
		if err != nil {
			for _, written := range files[:n] {
				err = errors.Join(err, os.Remove(written.path))
			}
			return err
		}
	}
	return nil
}

func createFile(f newFile) error {
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, f.content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(f.path))
	}
	return nil
}

func (v initial) printNext(c terminal.Console, files []newFile) error {
	for _, f := range files {
		if _, err := fmt.Fprintln(c.Out, "wrote", f.path); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(c.Out, `
%s
  set -a; . %s; set +a      # after checking it
  octavo doctor
  octavo migrate up          # on Postgres
  octavo serve
  octavo users owner EMAIL   # prints a link that makes you the owner
`, c.Style.Bold("Next:"), envfile.Quote(v.Env))
	return err
}
