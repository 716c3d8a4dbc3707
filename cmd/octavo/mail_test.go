package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTheTemplatesOfMailsAreWrittenAndCanBeUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mails")
	out, errs, code := octavo(t, nil, "mail", "templates", dir)
	if code != 0 || errs != "" || !strings.Contains(out, "MAIL_TEMPLATES="+dir) {
		t.Fatalf("code %d, %q, %q", code, out, errs)
	}
	env := map[string]string{"MAIL_TEMPLATES": dir, "SERVICE_NAME": "Campus Books"}
	if out, errs, code := octavo(t, env, "doctor", "--port=0", "auth"); code != 0 {
		t.Errorf("doctor: code %d, want 0: %q, %q", code, out, errs)
	}
	path := filepath.Join(dir, "fr", "password_reset.tmpl")
	if _, errs, code := octavo(t, nil, "mail", "templates", dir); code != 1 || !strings.Contains(errs, path) {
		t.Errorf("a second time: code %d, %q", code, errs)
	}
	write(t, path, "Subject: Un code\n\nDevinez.\n")
	if out, errs, code := octavo(t, env, "doctor", "--port=0", "auth"); code != 2 || !strings.Contains(out, "fr/password_reset.tmpl") {
		t.Errorf("without its code: code %d, %q, %q", code, out, errs)
	}
}
