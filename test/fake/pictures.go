package fake

import (
	"bytes"
	"context"
	"sync"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Picture is a picture that Pictures converts.
var Picture = []byte("picture")

// Pictures is a selling.PictureConverter for tests that are not about pictures. It refuses what
// does not begin with Picture.
type Pictures struct {
	mu     sync.Mutex
	during func() error
}

// During calls do in the middle of the next conversion, which fails with its error.
func (p *Pictures) During(do func() error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.during = do
}

// CheckPicture is selling.PictureConverter.
func (p *Pictures) CheckPicture(data []byte) error {
	if !bytes.HasPrefix(data, Picture) {
		return photo.ErrFormat
	}
	return nil
}

// ConvertPicture is selling.PictureConverter.
func (p *Pictures) ConvertPicture(_ context.Context, _ user.ID, data []byte) (photo.Pictures, error) {
	p.mu.Lock()
	do := p.during
	p.during = nil
	p.mu.Unlock()
	if do != nil {
		if err := do(); err != nil {
			return photo.Pictures{}, err
		}
	}
	return photo.Pictures{Large: append([]byte("large "), data...), Thumb: append([]byte("small "), data...), Width: 1600, Height: 1200}, nil
}
