package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestInitLetsAGroupReadTheConfigurationAndWhatIsAdded(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to any group")
	}
	dir := filepath.Join(t.TempDir(), "new")
	if _, errs, code := octavo(t, nil, "init", dir, "--group", "daemon"); code != 0 {
		t.Fatal(errs)
	}
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(all) != 6 {
		t.Fatalf("%v, %v", all, err)
	}
	added := filepath.Join(dir, "s3.secret")
	if err := os.WriteFile(added, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(all, added) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t); info.Mode() != 0o640 || owner.Uid != 0 || owner.Gid != 1 {
			t.Errorf("%s: %v, of %d and the group %d", path, info.Mode(), owner.Uid, owner.Gid)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode() != os.ModeDir|os.ModeSetgid|0o750 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
	if _, errs, code := octavo(t, nil, "init", filepath.Join(dir, "x"), "--group", "no such group"); code != 2 || !strings.Contains(errs, "--group") {
		t.Errorf("a group that does not exist: %d %s", code, errs)
	}
}
