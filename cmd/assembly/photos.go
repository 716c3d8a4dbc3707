package assembly

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/picture"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// PhotoWorker is the argument with which this program converts one picture and exits.
const PhotoWorker = "__photo"

// photos provides the photos of books.
func photos(parts config.Components) fx.Option {
	if !parts.Market {
		return fx.Options()
	}
	return fx.Options(
		fx.Provide(newBlobs, httpx.NewUploads, func(b config.Blobs) selling.BlobStore { return b }),
		check(func(b config.Blobs) operations.Check { return operations.Check{Name: "photos", Probe: b.Check} }),
	)
}

func newBlobs(s *config.Settings, log *slog.Logger) (config.Blobs, error) {
	if folder, ok := s.BlobFolder(); ok && !s.SQLite() && s.Production() {
		log.Warn("BLOB_URL is a folder: replicas on other machines do not show its photos", "folder", folder)
	}
	blobs, err := s.OpenBlobs()
	return &loggedBlobs{Blobs: blobs, log: log}, err
}

func newPictures(log *slog.Logger) (selling.PictureConverter, error) {
	self, err := picture.Self()
	return loggedPictures{picture.New(self, PhotoWorker), log}, err
}

const sweepPhotosEvery = 5 * time.Minute

func sweepPhotos(b background, m *rooms.Market, log *slog.Logger) {
	b.Run("deleting removed photos", func(ctx context.Context) {
		repeat(ctx, sweepPhotosEvery, func() {
			if _, err := m.PhotoSweeper.Sweep(ctx); err != nil && ctx.Err() == nil {
				log.Warn("delete removed photos", "error", err)
			}
			if err := m.PhotoSweeper.Measure(ctx); err != nil && ctx.Err() == nil {
				log.Warn("measure photos", "error", err)
			}
		})
	})
}
