package picture

import (
	"context"
	"log/slog"

	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Logged logs why pictures were refused that are not to blame.
func Logged(c selling.PictureConverter, log *slog.Logger) selling.PictureConverter {
	return loggedPictures{c, log}
}

type loggedPictures struct {
	selling.PictureConverter
	log *slog.Logger
}

// ConvertPicture is selling.PictureConverter.
func (p loggedPictures) ConvertPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error) {
	made, err := p.PictureConverter.ConvertPicture(ctx, by, data)
	if fault.KindOf(err) == fault.Unavailable {
		p.log.WarnContext(ctx, "a picture was not converted", "bytes", len(data), "error", err)
	}
	return made, err
}
