package assembly

import (
	"log/slog"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/picture"
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
