package config

import (
	"os"
	"strings"
)

// NamedFile is a file or folder that a setting names.
type NamedFile struct{ Setting, Path string }

// NamedFiles returns the files and folders that the program reads because a setting names them.
func (s *Settings) NamedFiles() []NamedFile {
	all := []NamedFile{
		{"OIDC_PROVIDERS", s.Identity.OIDCProviders}, {"WEBHOOK_SOURCES", s.Webhooks.Sources}, {"WEBHOOK_RULES", s.Webhooks.Rules},
		{"ISBN_TABLE", s.Market.ISBNTable}, {"PAGES_DIR", s.Market.PagesDir}, {"MAIL_TEMPLATES", s.Mail.MailTemplates},
	}
	if path, isFile := strings.CutPrefix(s.Market.CampusDomains, "@"); isFile {
		all = append(all, NamedFile{"CAMPUS_DOMAINS", path})
	}
	for _, name := range Secrets {
		all = append(all, NamedFile{name + "_FILE", os.Getenv(name + "_FILE")})
	}
	var named []NamedFile
	for _, f := range all {
		if f.Path != "" {
			named = append(named, f)
		}
	}
	return named
}
