package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/config/misspelt"
)

func checkSettings(_ context.Context, s *config.Settings, parts config.Components) []finding {
	var all []finding
	for _, m := range misspelt.Find(s, os.Environ()) {
		all = append(all, warn("settings", m.Name+" is no setting of Octavo, and is ignored", m.Advice()))
	}
	if !s.Production() {
		return append(all, warn("environment", "development: keys may be generated, and anyone can read the mails",
			"set OCTAVO_ENV=production before others use it"))
	}
	if len(s.Server.TrustedProxies) == 0 && !s.AutoHTTPS() && (parts.Identity() || parts.Webhooks) {
		all = append(all, warn("proxies", "TRUSTED_PROXIES is empty: behind a load balancer all clients have the same address and share its rate limits",
			"set the load balancer's network, e.g. TRUSTED_PROXIES=10.0.0.0/8"))
	}
	return all
}

// checkUser says that root, who runs the doctor, can read what the user of the service may not be
// able to. The owner of DATA_DIR is taken for that user.
func checkUser(_ context.Context, s *config.Settings, _ config.Components) []finding {
	owner := ownerBesideRoot(s.Storage.DataDir)
	if owner == "" {
		return nil
	}
	return []finding{warn(
		"user", "root reads every file of the settings; "+owner+", who owns "+s.Storage.DataDir+", may not",
		"with the same settings run: sudo -u "+owner+" octavo doctor",
	)}
}

// checkAddresses checks BASE_URL, with which the links in mails begin.
func checkAddresses(_ context.Context, s *config.Settings, parts config.Components) []finding {
	u, err := url.Parse(s.Server.BaseURL)
	if err != nil || !parts.Identity() && !parts.Mailer {
		return nil
	}
	switch {
	case s.Production() && config.IsLoopback(u.Hostname()):
		return []finding{warn("address", "links in mails lead to "+s.Server.BaseURL+", which is each reader's own machine",
			"set BASE_URL to the address that people use, e.g. https://books.example.edu")}
	case u.Path != "":
		return []finding{warn("address", "BASE_URL has the path "+u.Path+", but Octavo's pages are not below that path",
			"let the proxy strip it, or serve Octavo at a host name of its own")}
	case u.Scheme == "https" && s.Server.CookieSecure == "false":
		return []finding{warn("address", "cookies of "+s.Server.BaseURL+" are sent over plain HTTP, too", "set COOKIE_SECURE=true")}
	}
	return nil
}

const minFreeSpace = 512 << 20 // bytes

func checkFolders(_ context.Context, s *config.Settings, _ config.Components) []finding {
	all := []finding{checkFolder("data folder", s.Storage.DataDir, "DATA_DIR")}
	if path, embedded := strings.CutPrefix(
		s.Storage.DatabaseURL, "sqlite:",
	); embedded && filepath.Dir(path) != filepath.Clean(s.Storage.DataDir) {
		all = append(all, checkFolder("database folder", filepath.Dir(path), "the folder of DATABASE_URL"))
	}
	return all
}

func checkFolder(name, dir, setting string) finding {
	if config.FileMissing(dir) {
		if setting == "DATA_DIR" {
			return passed(name, "%s is created by octavo serve", dir)
		}
		return failed(name, fmt.Errorf("%s does not exist", dir), "create it, and make it writable for the user that runs Octavo")
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return failed(name, err, "make "+setting+" writable for the user that runs Octavo")
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return failed(name, err, "check the file system of "+setting)
	}
	free, err := FreeSpace(dir)
	if err != nil {
		return failed(name, err, "check the file system of "+setting)
	}
	if free < minFreeSpace {
		return warn(name, fmt.Sprintf("%s has %d MB left", dir, free>>20), "make room before writes fail")
	}
	return passed(name, "%s is writable, %d MB free", dir, free>>20)
}

func checkPort(ctx context.Context, s *config.Settings, _ config.Components) []finding {
	address := net.JoinHostPort(s.Server.Host, strconv.Itoa(s.Server.Port))
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err == nil {
		err = l.Close()
	}
	if err == nil {
		return []finding{passed("port", "%s is free", address)}
	}
	if CheckRunning(ctx, *s) == nil {
		return []finding{passed("port", "%s: Octavo is running there", address)}
	}
	return []finding{failed("port", err, "choose another HOST or PORT, or stop the program that uses it")}
}

func checkKeys(_ context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Identity() {
		return nil
	}
	where := "PRIVATE_KEY"
	if s.Identity.PrivateKey == "" {
		where = "generated, in " + s.Storage.DataDir
		if config.FileMissing(filepath.Join(s.Storage.DataDir, config.KeysFile)) {
			return []finding{passed("signing key", "ES512, created in %s by octavo serve", s.Storage.DataDir)}
		}
	}
	if _, err := s.SigningKey(); err != nil {
		return []finding{failed("signing key", err, "`octavo keys generate` generates a pair")}
	}
	return []finding{passed("signing key", "ES512, %s", where)}
}

// checkIDTokenKey checks that production has a key for the ID tokens of applications, if there is
// one that needs it.
func checkIDTokenKey(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Identity() || !s.Production() {
		return nil
	}
	if s.Identity.OIDCSigningKey != "" {
		return []finding{passed("ID token key", "RS256, OIDC_SIGNING_KEY")}
	}
	needed, err := needsRSAKey(ctx, s.MainDatabase())
	if err != nil || !needed { // checkDatabases reports the error
		return nil
	}
	return []finding{failed("ID token key", errors.New("an application needs ID tokens with RS256, and OIDC_SIGNING_KEY is not set"), "`octavo keys generate --oidc` generates a key")}
}
