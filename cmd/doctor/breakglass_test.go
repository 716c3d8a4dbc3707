package doctor

import (
	"log/slog"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorWarnsIfNobodyGetsInWhileTheServicesAreDown(t *testing.T) {
	s := settings.Default(t)
	d := s.MainDatabase()
	db := must.Get(gormstore.Open(t.Context(), d.URL, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { _ = db.Close() })
	must.Do(t, db.Migrate(t.Context(), d.Schema...))
	if all := checkBreakGlass(t.Context(), &s, config.All); len(all) != 0 {
		t.Errorf("with all ways to sign in: %v", all)
	}
	s.Identity.SignIn = "sso"
	says(t, checkBreakGlass(t.Context(), &s, config.All), warning, "no owner gets in", "octavo users break-glass")
	must.Do(t, db.Write.Exec("INSERT INTO users (id, email, created_at, role, break_glass) VALUES (1, 'a@u.edu', 1, 2, 1)").Error)
	says(t, checkBreakGlass(t.Context(), &s, config.All), ok, "an owner gets in", "")
}
