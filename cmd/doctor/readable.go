package doctor

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/cmd/config"
)

// checkReadable finds files of the settings that root, who runs the doctor, can read, and the user
// of the service cannot. The owner of DATA_DIR is taken for that user.
func checkReadable(_ context.Context, s *config.Settings, _ config.Components) []finding {
	service := serviceUser(s.Storage.DataDir)
	if service == nil {
		return nil
	}
	var all []finding
	for _, f := range s.NamedFiles() {
		if place := service.blocked(f.Path); place != "" {
			all = append(all, failed("files", fmt.Errorf("%s: %s, who owns %s, cannot read %s", f.Setting, service.name, s.Storage.DataDir, place),
				"chgrp "+service.group+" "+place+" && chmod g+rX "+place))
		}
	}
	return all
}
