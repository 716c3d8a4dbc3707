package doctor

import (
	"os"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorOfRootSaysThatTheServiceMayReadLess(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root reads what others cannot")
	}
	s := settings.Default(t)
	if all := checkUser(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("of root's own data it says %v", all)
	}
	if err := os.Chown(s.Storage.DataDir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	says(t, checkUser(t.Context(), &s, config.All), warning, "nobody", "sudo -u nobody octavo doctor")
}
