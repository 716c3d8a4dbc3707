package selling

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
)

// ReadCovers returns the thumbnails of the covers of books, for those who were told of them: none of a
// book that is unlisted, also by a moderator, or has no photo. With an error it returns those that
// could be read.
func (p *Photos) ReadCovers(ctx context.Context, of ...book.ID) (map[book.ID][]byte, error) {
	covers, err := p.reader.ListCovers(ctx, of...)
	if err != nil {
		return nil, err
	}
	found := make(map[book.ID][]byte, len(covers))
	for _, c := range covers {
		data, readErr := p.Read(ctx, c, photo.Thumb)
		switch {
		case readErr == nil:
			found[c.Book] = data
		case ctx.Err() != nil:
			return found, readErr
		case !errors.Is(readErr, photo.ErrNotFound) && err == nil:
			err = readErr
		}
	}
	return found, err
}
