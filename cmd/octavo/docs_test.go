package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTheDocumentationIsInTheProgram(t *testing.T) {
	wrong := map[string]string{"PORT": "abc"} // the reader may be looking for the right value
	out, errs, code := octavo(t, wrong, "docs")
	for _, page := range []string{"\n  index ", "\n  operations ", "\n  recipes/proxy ", "\n  adr "} {
		if code != 0 || errs != "" || !strings.Contains(out, page) {
			t.Errorf("code %d: no %q in %s%s", code, page, out, errs)
		}
	}
	if strings.Contains(out, "adr/") || strings.Count(out, "\n") > 50 {
		t.Errorf("the list is long:\n%s", out)
	}
	for name, text := range map[string]string{
		"operations": "# Operating Octavo\n", "proxy": "# Behind nginx or Caddy", "docs/recipes/proxy.md": "# Behind nginx or Caddy", "adr": "# Decisions\n", "readme": "# Octavo\n",
	} {
		if out, errs, code := octavo(t, wrong, "docs", name); code != 0 || errs != "" || !strings.HasPrefix(out, text) {
			t.Errorf("%s: code %d\n%.200s%s", name, code, out, errs)
		}
	}
}

func TestAnUnknownPageIsAnsweredWithTheListOfPages(t *testing.T) {
	out, errs, code := octavo(t, nil, "docs", "kitchen")
	if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, `no page is called "kitchen"`) || !strings.Contains(errs, "openid, operations, ") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
	for _, near := range []string{"mark", "Markt"} {
		if _, errs, code := octavo(t, nil, "docs", near); code != 2 || !strings.Contains(errs, `did you mean "market"?`) || strings.Contains(errs, "performance") {
			t.Errorf("%s: code %d\n%s", near, code, errs)
		}
	}
	if _, errs, code := octavo(t, nil, "docs", "market", "mail"); code != 2 || !strings.Contains(errs, "unexpected argument mail") {
		t.Errorf("code %d\n%s", code, errs)
	}
}

func TestASectionOfAPageIsPrintedByItsAnchor(t *testing.T) {
	out, errs, code := octavo(t, nil, "docs", "operations/settings#exit-codes")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "## Exit codes\n") || !strings.Contains(out, "SIGABRT") || strings.Contains(out, "# Settings, commands") || strings.Contains(out, "systemd-run") {
		t.Errorf("code %d\n%.300s%s", code, out, errs)
	}
	for name, says := range map[string]string{
		"operations/settings#exit-cods": `did you mean "operations/settings#exit-codes"?`, "upgrade#zzzzzzzzzzzzzzzz": "its sections are upgrade, a-package-or-octavo-up, ", "marke#fees": `did you mean "market"?`,
	} {
		if out, errs, code := octavo(t, nil, "docs", name); code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, says) {
			t.Errorf("%s: code %d\n%s%s", name, code, out, errs)
		}
	}
}

func TestTheHelpOfDocsIsNotTheListOfPages(t *testing.T) {
	for _, flag := range []string{"--help", "-h"} {
		if out, errs, code := octavo(t, nil, "docs", flag); code != 0 || !strings.Contains(out, "Usage: octavo docs") || strings.Contains(out, "recipes/proxy") {
			t.Errorf("code %d\n%s%s", code, out, errs)
		}
	}
}

func TestTheDocumentationIsSearched(t *testing.T) {
	for words, want := range map[string]string{
		"install": "operations/install", "https": "operations/https", "send mails": "operations/mail", "SSO": "operations/sso", "first owner": "operations/first-owner",
		"backup": "operations/backup", "restore": "operations/restore", "upgrade": "operations/upgrade", "rotate key": "operations/keys", "postgres": "operations/postgres",
		"redis": "operations/redis", "several machines": "operations/cluster", "monitoring": "operations/monitoring", "logs": "operations/logs", "alerts": "operations/alerts",
		"limits": "operations/limits", "privacy requests": "operations/privacy", "accessibility": "operations/accessibility", "sizing": "operations/sizing", "move accounts": "operations/moving", "from sqlite to postgres": "operations/archive",
	} {
		out, errs, code := octavo(t, nil, "docs", "-s", words)
		first, _, _ := strings.Cut(out[strings.Index(out, "octavo docs ")+len("octavo docs "):], "\n")
		if code != 0 || errs != "" || first != want && !strings.HasPrefix(first, want+"#") {
			t.Errorf("%s: the first page is %s, want %s (%d %s)", words, first, want, code, errs)
		}
	}
	if out, errs, code := octavo(t, nil, "docs", "-s", "xylophone"); code == 0 || out != "" || !strings.Contains(errs, "xylophone") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
}

// asked are questions in the words of people who have not read the pages.
var asked = map[string]string{
	"how do I set it up on a server": "operations/install", "get a certificate for https": "operations/https", "mails do not arrive": "operations/mail", "mails end up as spam": "operations/mail",
	"login with university account": "operations/sso", "make myself administrator": "operations/first-owner", "nightly backup": "operations/backup", "get data back after a crash": "operations/restore",
	"new version without downtime": "operations/upgrade", "replace the signing key": "operations/keys", "use postgresql": "operations/postgres", "what is redis for": "operations/redis",
	"several servers behind a load balancer": "operations/cluster", "prometheus metrics": "operations/monitoring", "where is the log": "operations/logs", "who wakes me at night": "operations/alerts",
	"too many requests 429": "operations/limits", "a student wants their data deleted": "operations/privacy", "gdpr": "operations/privacy", "screen reader": "operations/accessibility",
	"how big a machine": "operations/sizing", "import users from another system": "operations/moving", "move to another server": "operations/archive", "disk is full": "operations/faults",
	"somebody lost their phone": "operations/first-owner", "uninstall": "operations/install", "why is it slow": "operations/traces", "docker compose": "operations/install",
	"how many people can one server carry": "operations/sizing", "I forgot the owner's password": "operations/first-owner", "back to the old version": "operations/upgrade",
	"environment variables": "operations/settings", "ssl": "operations/https", "let's encrypt": "operations/https",
	"nobody receives our emails": "operations/mail", "student wants all data we hold about him": "operations/privacy", "cookie banner": "operations/privacy",
	"delete a student's account completely": "operations/privacy", "how much commission do we take": "market", "change logo and name of the site": "market",
	"disaster recovery": "operations/restore", "too many requests error 429": "operations/limits", "pager duty rules": "operations/alerts",
	"replace jwt signing secret": "operations/keys", "express middleware to check token": "recipes/verify-token", "replay a failed webhook": "webhooks",
	"webhook signature mismatch": "webhooks", "s3 bucket images": "operations/photos", "cors error in my frontend": "recipes/spa",
	"only people of our faculty may sign up": "market", "two admins of different campuses": "operations/campus-admins", "run it on a raspberry pi": "operations/install",
	"how do I stop robots from signing up": "operations/limits", "refund a buyer": "market", "how do I know that backups really work": "operations/backup",
	"euro instead of dollar": "market", "refresh token reused error": "graphql", "single sign on for our own app": "openid",
	"provision accounts automatically from azure ad": "signin", "block an abusive user": "market", "which ports must the firewall open": "operations/https",
	"we only have a 5 dollar vps": "operations/install", "students forget their password": "operations/questions", "hide a rude comment in a review": "operations/questions",
	"allow lecturers with another mail domain to join": "operations/questions", "translate the site into german": "operations/questions",
	"change the domain name of the site": "operations/questions", "does it phone home": "operations/questions", "audit log for our siem": "operations/questions",
	"helm chart": "operations/questions", "rpo and rto": "operations/questions", "mysql support": "operations/questions", "cve in a dependency": "operations/questions",
	"log somebody out everywhere": "operations/questions", "curl example login": "market", "pagination cursor": "market", "Retry-After header": "operations/limits",
	"haproxy health check": "recipes/replicas", "our treasurer graduated, hand the owner role to someone else": "operations/first-owner", "ldap or active directory login": "operations/sso",
	"another owner": "operations/first-owner", "forward webhooks to two services": "webhooks", "staging environment with anonymised data": "operations/archive",
}

func TestQuestionsInOwnWordsAreAnsweredByOneOfTheFirstThreeSections(t *testing.T) {
	for words, want := range asked {
		out, errs, code := octavo(t, nil, "docs", "-s", words)
		found := regexp.MustCompile(`octavo docs (\S+)`).FindAllStringSubmatch(out, 3)
		if code != 0 || errs != "" || !slices.ContainsFunc(found, func(m []string) bool { return m[1] == want || strings.HasPrefix(m[1], want+"#") }) {
			t.Errorf("%s: found %q, want %s (%d %s)", words, found, want, code, errs)
		}
	}
}

func TestWordsToSearchForNeedNoQuotes(t *testing.T) {
	quoted, _, _ := octavo(t, nil, "docs", "-s", "how do I rotate the key")
	for _, args := range [][]string{
		{"docs", "-s", "how", "do", "I", "rotate", "the", "key"}, {"docs", "--search=how do I rotate the key"},
	} {
		if out, errs, code := octavo(t, nil, args...); code != 0 || out != quoted || !strings.Contains(out, "operations/keys") {
			t.Errorf("%q: %d %s%s", args, code, out, errs)
		}
	}
}

func TestTheDocumentationIsWrittenAsASite(t *testing.T) {
	dir := t.TempDir()
	if out, errs, code := octavo(t, nil, "docs", "--site", dir); code != 0 || errs != "" || !strings.Contains(out, dir) {
		t.Fatalf("code %d\n%s%s", code, out, errs)
	}
	links := regexp.MustCompile(`(?:href|src)="([^"#:]+)[#"]`)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		page, err := os.ReadFile(file)
		for _, m := range links.FindAllStringSubmatch(string(page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s leads to %s, which is not there", d.Name(), m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
