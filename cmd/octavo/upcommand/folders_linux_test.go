package upcommand

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

func TestWhatComesFromAnotherMachineBecomesTheServices(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to others")
	}
	const uid, gid = 4321, 4322
	data, settings := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "etc")
	must.Do(t, os.MkdirAll(filepath.Join(data, "photos"), 0o700))
	must.Do(t, os.MkdirAll(settings, 0o700))
	database, key := filepath.Join(data, "octavo.db"), filepath.Join(settings, "private.pem")
	must.Do(t, os.WriteFile(database, nil, 0o600))
	must.Do(t, os.WriteFile(key, nil, 0o600))
	must.Do(t, takeIn(data, uid, gid))
	must.Do(t, shareSettings(settings, gid))
	for path, owner := range map[string]int{data: uid, filepath.Join(data, "photos"): uid, database: uid, settings: 0, key: 0} {
		if u, g := ownerOf(path); u != owner || g != gid {
			t.Errorf("%s is of %d and the group %d", path, u, g)
		}
	}
	if info := must.Get(os.Stat(key))(t); info.Mode() != 0o640 {
		t.Errorf("the mode of the key is %v", info.Mode())
	}
	must.Do(t, os.Lchown(database, 0, 0))
	must.Do(t, takeIn(data, uid, gid))
	if u, _ := ownerOf(database); u != 0 {
		t.Error("a file in a folder of the service was changed")
	}
}
