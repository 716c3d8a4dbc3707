package assembly

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/blobs3"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/picture"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// PhotoWorker is the argument with which this program converts one picture and exits.
const PhotoWorker = "__photo"

// photos provides the photos of books.
func photos(s config.Settings, parts config.Components) fx.Option {
	if !parts.Market {
		return fx.Options()
	}
	options := []fx.Option{fx.Provide(newBlobs, newPhotos, market.NewPhotoSweeper, httpx.NewUploads)}
	if _, ok := s.BlobFolder(); !ok {
		options = append(options, check(func(b market.BlobStore) operations.Check {
			return operations.Check{Name: "photos", Probe: b.(*blobs3.Store).Check}
		}))
	}
	return fx.Options(options...)
}

func newBlobs(lc fx.Lifecycle, s *config.Settings, log *slog.Logger) (market.BlobStore, error) {
	if folder, ok := s.BlobFolder(); ok && !s.SQLite() && s.Production() {
		log.Warn("BLOB_URL is a folder: replicas on other machines do not show its photos", "folder", folder)
	}
	blobs, closeBlobs, err := s.OpenBlobs()
	if err == nil {
		lc.Append(fx.StopHook(closeBlobs))
	}
	return blobs, err
}

func newPhotos(d market.Deps, s *marketstore.Store, b market.BlobStore) (*market.Photos, error) {
	self, err := picture.Self()
	return market.NewPhotos(d, s, b, picture.New(self, PhotoWorker)), err
}

const sweepPhotosEvery = 5 * time.Minute

func sweepPhotos(b background, s *market.PhotoSweeper, log *slog.Logger) {
	b.Run("deleting removed photos", func(ctx context.Context) {
		repeat(ctx, sweepPhotosEvery, func() {
			if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				log.Warn("delete removed photos", "error", err)
			}
		})
	})
}
