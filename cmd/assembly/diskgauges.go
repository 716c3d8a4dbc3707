package assembly

import (
	"context"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/doctor"
)

// watchDataDir measures the space that is left for DATA_DIR and, once there is one, how old the last
// backup is.
func watchDataDir(s *config.Settings, clock mailer.Clock, log *slog.Logger, m *metrics.Metrics) error {
	return m.Registry().Register(queriedGauges{"the data folder", log, func(context.Context) ([]gauge, error) {
		free, err := doctor.FreeSpace(s.Storage.DataDir)
		if err != nil {
			return nil, err
		}
		all := []gauge{{name: "octavo_data_free_bytes", help: "Space that is left on the disk of DATA_DIR.", value: float64(free)}}
		if last, made := s.LastBackup(); made {
			all = append(all, gauge{name: "octavo_backup_age_seconds", help: "Age of the last backup that octavo backup has completed.", value: age(clock, last)})
		}
		return all, nil
	}})
}
