package upcommand

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/envfile"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/user"
)

// plan is what octavo up is going to do.
type plan struct {
	settings config.Settings   // of the server, as far as octavo up needs them
	values   map[string]string // lines of octavo.env that change
	known    map[string]string // what octavo.env has already
	owner    string
	newSMTP  bool // a mail server is given that octavo.env does not have
	changed  bool // octavo.env was changed

	dir, data, backups string
	root, systemd      bool
}

// noMailServer is where mails wait until a server is given. Mail programs of the machine listen there.
const noMailServer = "smtp://127.0.0.1:25"

// plan takes the settings from the command, from the environment and from octavo.env, in this order, asks for what
// is missing and checks all of it.
func (u *Command) plan(s *config.Settings, ask questions, given map[string]string) (*plan, error) {
	p := &plan{settings: *s, values: map[string]string{}, owner: u.Owner, root: os.Geteuid() == 0}
	if err := p.place(); err != nil {
		return nil, err
	}
	for name, value := range given {
		if !slices.Contains(own, name) {
			p.values[name] = value
		}
	}
	domain := firstOf(u.Domain, given["DOMAIN"], p.known["DOMAIN"])
	if domain == "" {
		domain = ask.ask("The name that people will type, such as books.example.edu:")
	}
	if p.owner == "" {
		p.owner = ask.ask("Your mail address. You will be the first owner:")
	}
	smtp := p.mailServer(u.SMTP, given)
	if smtp == "" {
		smtp = firstOf(ask.ask("The mail server, as smtp://user:password@host:587 (empty: later):"), noMailServer)
	}
	p.newSMTP = smtp != p.mailServer("", nil) && smtp != noMailServer
	return p, p.complete(domain, smtp)
}

// own are the settings that octavo up decides.
var own = []string{
	"OCTAVO_ENV", "HTTPS", "DOMAIN", "DATA_DIR", "BASE_URL", "SMTP_URL", "PUBLIC_KEY", "PRIVATE_KEY", "PUBLIC_KEY_FILE", "PRIVATE_KEY_FILE",
	"WEBHOOK_SECRET",
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// place decides where everything is, and reads the settings that are there.
func (p *plan) place() error {
	p.dir, p.data, p.backups = "/etc/octavo", "/var/lib/octavo", "/var/backups/octavo"
	if p.root {
		p.systemd = exists("/run/systemd/system")
	} else if err := p.placeHere(); err != nil {
		return err
	}
	text, err := os.ReadFile(p.env())
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	p.known = envfile.Parse(string(text))
	return nil
}

// placeHere puts everything into one folder for somebody who is not root.
func (p *plan) placeHere() error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	p.dir = filepath.Join(here, "octavo")
	if info, err := os.Stat(p.dir); err == nil && !info.IsDir() { // the program of an archive is called so
		p.dir = filepath.Join(here, "octavo.d")
	}
	p.data, p.backups = filepath.Join(p.dir, "data"), filepath.Join(p.dir, "backups")
	return nil
}

func (p *plan) env() string { return filepath.Join(p.dir, "octavo.env") }

// mailServer returns the one to use, and notes where it is read from.
func (p *plan) mailServer(flag string, given map[string]string) string {
	switch {
	case flag != "":
		return flag
	case given["SMTP_URL_FILE"] != "":
		return p.settings.Mail.SMTPURL
	case given["SMTP_URL"] != "":
		return given["SMTP_URL"]
	}
	if path := p.known["SMTP_URL_FILE"]; path != "" {
		text, _ := os.ReadFile(path) //nolint:gosec // the settings name the file
		return strings.TrimSpace(string(text))
	}
	return p.known["SMTP_URL"]
}

// complete checks the settings as the server will, and says what octavo.env gets.
func (p *plan) complete(domain, smtp string) error {
	v := &p.settings
	v.Server.Env, v.Server.HTTPS, v.Server.Domain, v.Server.BaseURL = "production", "auto", domain, ""
	v.Storage.DataDir, v.Mail.SMTPURL = p.data, smtp
	errs := []error{p.useKnown()}
	if _, err := user.ParseEmail(p.owner); err != nil {
		errs = append(errs, terminal.Misused("--owner: the mail address of the first owner is needed, such as --owner you@example.edu"))
	}
	if domain == "" { // from which other settings follow
		errs = append(errs, config.Errorf("DOMAIN", "the name that people will type is needed, such as octavo up books.example.edu"))
		return config.Together(errs...)
	}
	if v.Mail.MailFrom == "" {
		v.Mail.MailFrom = sender(smtp, domain)
	}
	errs = append(errs, v.Validate())
	if err := config.Together(errs...); err != nil {
		return err
	}
	maps.Copy(p.values, map[string]string{
		"OCTAVO_ENV": "production", "HTTPS": "auto", "DOMAIN": v.Server.Domain, "MAIL_FROM": v.Mail.MailFrom,
	})
	if p.known["BASE_URL"] != "" {
		p.values["BASE_URL"] = v.Site()
	}
	p.keepMailServer(smtp)
	return nil
}

// keepMailServer writes the mail server down unless a file has it. An empty variable is no setting.
func (p *plan) keepMailServer(smtp string) {
	if p.values["SMTP_URL_FILE"] != "" || p.known["SMTP_URL_FILE"] != "" && !p.newSMTP {
		return
	}
	p.values["SMTP_URL"] = smtp
	if p.known["SMTP_URL_FILE"] != "" {
		p.values["SMTP_URL_FILE"] = ""
	}
}

// useKnown takes from octavo.env what is not given, of the settings that octavo up needs itself.
func (p *plan) useKnown() error {
	v, text := &p.settings, map[string]*string{}
	text["HOST"], text["ACME_DIRECTORY"], text["ACME_CA_FILE"] = &v.Server.Host, &v.Server.ACMEDirectory, &v.Server.ACMECAFile
	text["MAIL_FROM"], text["SERVICE_NAME"], text["DATABASE_URL"] = &v.Mail.MailFrom, &v.Server.ServiceName, &v.Storage.DatabaseURL
	if path := p.known["DATABASE_URL_FILE"]; path != "" && p.values["DATABASE_URL"] == "" && p.values["DATABASE_URL_FILE"] == "" {
		url, err := os.ReadFile(path) //nolint:gosec // the settings name the file
		if err != nil {
			return config.FileError("DATABASE_URL_FILE", err)
		}
		v.Storage.DatabaseURL = strings.TrimSpace(string(url))
	}
	for name, to := range text {
		if known := p.known[name]; known != "" && p.values[name] == "" {
			*to = known
		}
	}
	for name, to := range map[string]*int{"PORT": &v.Server.Port, "HTTPS_PORT": &v.Server.HTTPSPort, "HTTP_PORT": &v.Server.HTTPPort} {
		if known := p.known[name]; known != "" && p.values[name] == "" {
			n, err := strconv.Atoi(known)
			if err != nil {
				return config.Errorf(name, "%q in %s is not a port", known, p.env())
			}
			*to = n
		}
	}
	return nil
}

// sender returns who mails come from: the user of the mail server if that is an address, because many servers take
// no other.
func sender(smtp, domain string) string {
	if u, err := url.Parse(smtp); err == nil && strings.Contains(u.User.Username(), "@") {
		return "Octavo <" + u.User.Username() + ">"
	}
	return "Octavo <octavo@" + domain + ">"
}
