package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/httpx/theme"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/text"
)

const (
	maxServiceName  = 60       // characters
	maxMailTemplate = 64 << 10 // bytes
)

func (s *Settings) checkMail() error {
	v := &s.Mail
	errs := []error{s.checkPresence()}
	if v.SMTPURL != "" {
		u, err := url.Parse(v.SMTPURL)
		if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
			errs = append(errs, Errorf("SMTP_URL", "must be smtp://user:pass@host:port or smtps://user:pass@host:port"))
		}
		if v.MailFrom == "" {
			errs = append(errs, Errorf("MAIL_FROM", "is needed with SMTP_URL"))
		}
	}
	if v.MailFrom == "" {
		v.MailFrom = (&mail.Address{Name: s.Server.ServiceName, Address: "octavo@localhost"}).String()
	}
	if _, err := mail.ParseAddress(v.MailFrom); err != nil {
		errs = append(errs, Errorf("MAIL_FROM", "%q is not an address such as Octavo <books@example.edu>", v.MailFrom))
	}
	_, err := s.MailTemplates()
	return Together(append(errs, err)...)
}

// checkPresence checks the name of the service, its colour and the address for questions.
func (s *Settings) checkPresence() error {
	errs := []error{checkServiceName(s.Server.ServiceName)}
	if _, err := theme.CSS(s.Server.AccentColor); err != nil {
		errs = append(errs, Errorf("ACCENT_COLOR", "%q: %v", s.Server.AccentColor, err))
	}
	if address, err := mail.ParseAddress(s.Mail.SupportMail); s.Mail.SupportMail != "" &&
		(err != nil || address.Address != s.Mail.SupportMail) {
		errs = append(errs, Errorf("SUPPORT_MAIL", "%q is not an address such as help@example.edu", s.Mail.SupportMail))
	}
	return Together(errs...)
}

func checkServiceName(name string) error {
	if strings.TrimSpace(name) == "" || name != strings.TrimSpace(name) || name != text.StripHidden(name) || strings.ContainsFunc(
		name, unicode.IsControl,
	) {
		return Errorf("SERVICE_NAME", "%q is not a name such as Campus Books", name)
	}
	if utf8.RuneCountInString(name) > maxServiceName {
		return Errorf("SERVICE_NAME", "has more than %d characters", maxServiceName)
	}
	return nil
}

// RelayConfig returns how the outbox of mails is emptied: in bulk into a queue or the mailbox of development.
func (s *Settings) RelayConfig() mailer.Config {
	if s.Storage.QueueURL != "" || s.Mail.SMTPURL == "" {
		return mailer.BulkConfig()
	}
	return mailer.DefaultConfig()
}

// MailTemplates returns the built-in templates of the mails, replaced by those in the folder of
// MAIL_TEMPLATES. The error names the setting and the file.
func (s *Settings) MailTemplates() (*mailer.Templates, error) {
	replaced, err := readMailTemplates(s.Mail.MailTemplates)
	if err != nil {
		return nil, Errorf("MAIL_TEMPLATES", "%v", err)
	}
	t, err := mailer.NewTemplates(mailer.Identity{Name: s.Server.ServiceName, Support: s.Mail.SupportMail, Zone: s.Zone()}, replaced)
	if err != nil {
		return nil, Errorf("MAIL_TEMPLATES", "%v", err)
	}
	return t, nil
}

// readMailTemplates reads all templates in a folder and in the folders of the languages.
// Other files, such as a README, are left alone.
func readMailTemplates(dir string) (map[string]string, error) {
	if dir == "" {
		return nil, nil
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, errors.New(dir + " is not a folder")
	}
	files := map[string]string{}
	for _, pattern := range []string{"*.tmpl", "*/*.tmpl"} {
		paths, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range paths {
			text, err := readUpTo(filepath.Join(dir, filepath.FromSlash(name)), maxMailTemplate)
			if err != nil {
				return nil, err
			}
			files[name] = text
		}
	}
	return files, nil
}

// readUpTo reads a file, or refuses one of more than limit bytes.
func readUpTo(path string, limit int64) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the folder
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return string(text), err
}
