package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorOfRootFindsFilesThatTheServiceCannotRead(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root reads what others cannot")
	}
	const service = 65534
	s := settings.Default(t)
	folder := t.TempDir()
	for dir := filepath.Dir(folder); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must.Do(t, os.Chmod(dir, 0o755)) // folders of the test
	}
	rules := filepath.Join(folder, "rules.yaml")
	must.Do(t, os.WriteFile(rules, nil, 0o600))
	s.Webhooks.Rules, s.Market.PagesDir = rules, folder
	must.Do(t, os.Chmod(folder, 0o750))
	if all := checkReadable(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("of root's own data it says %v", all)
	}
	must.Do(t, os.Chown(s.Storage.DataDir, service, service))
	all := checkReadable(t.Context(), &s, config.All)
	says(t, all, failure, "WEBHOOK_RULES: nobody, who owns "+s.Storage.DataDir+", cannot read "+folder, "chgrp")
	says(t, all, failure, "PAGES_DIR", "chmod g+rX "+folder)
	must.Do(t, os.Chown(folder, 0, service))
	says(t, checkReadable(t.Context(), &s, config.All), failure, "cannot read "+rules, "chmod g+rX "+rules)
	must.Do(t, os.Chown(rules, 0, service))
	must.Do(t, os.Chmod(rules, 0o640))
	if all := checkReadable(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("of files that the group can read it says %v", all)
	}
}
