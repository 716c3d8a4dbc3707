package doctor

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkBreakGlass looks for an owner who gets in while the services are down, where nobody else does.
func checkBreakGlass(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Identity() || !s.ExternalOnly() {
		return nil
	}
	has, err := ask(ctx, s.MainDatabase(), authstore.HasBreakGlass)
	switch {
	case err != nil: // checkDatabases reports it
		return nil
	case !has:
		return []finding{warn("sign-in", "SIGN_IN=sso, and no owner gets in while the services are down", "octavo users break-glass EMAIL of an owner")}
	}
	return []finding{passed("sign-in", "at external services only; an owner gets in without them")}
}
