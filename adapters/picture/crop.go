package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"slices"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// A JPEG that was made before says in a segment of ours which part of it is kept: a worker gets nothing but a picture.
const (
	cropMarker = 0xef // APP15
	cropPrefix = "Octavo crop\x00"
)

// CropPicture is selling.PictureConverter.
func (c *Converter) CropPicture(ctx context.Context, by user.ID, data []byte, f photo.Frame) (photo.Pictures, error) {
	if err := f.Check(); err != nil {
		return photo.Pictures{}, err
	}
	return c.ConvertPicture(ctx, by, framed(data, f))
}

// framed returns a JPEG with its frame.
func framed(jpeg []byte, f photo.Frame) []byte {
	const startOfImage = 2
	if !bytes.HasPrefix(jpeg, []byte{0xff, 0xd8}) {
		return jpeg
	}
	content := append([]byte(cropPrefix), byte(f.X), byte(f.Y), byte(f.Size))
	segment := append(binary.BigEndian.AppendUint16([]byte{0xff, cropMarker}, uint16(len(content)+2)), content...)
	return slices.Insert(slices.Clone(jpeg), startOfImage, segment...)
}

// frameOf returns the frame of a picture, if it has one.
func frameOf(data []byte) (f photo.Frame, found bool) {
	if !bytes.HasPrefix(data, []byte{0xff, 0xd8}) {
		return f, false
	}
	for marker, segment := range jpegSegments(data) {
		rest, ours := bytes.CutPrefix(segment, []byte(cropPrefix))
		if marker == cropMarker && ours && len(rest) == 3 {
			f = photo.Frame{X: int(rest[0]), Y: int(rest[1]), Size: int(rest[2])}
			return f, f.Check() == nil
		}
	}
	return f, false
}

// crop returns the part of a picture in a frame.
func crop(m *image.RGBA, f photo.Frame) *image.RGBA {
	part := f.In(m.Rect.Dx(), m.Rect.Dy())
	out := image.NewRGBA(image.Rect(0, 0, part.Width, part.Height))
	for y := range part.Height {
		copy(out.Pix[y*out.Stride:(y+1)*out.Stride], m.Pix[m.PixOffset(part.X, part.Y+y):])
	}
	return out
}
