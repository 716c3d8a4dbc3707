package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image/jpeg"
	"testing"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
)

func FuzzOrientation(f *testing.F) {
	f.Add(exif(binary.BigEndian, 6))
	f.Add(exif(binary.LittleEndian, 3))
	f.Add([]byte("II*\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if o := orientation(data); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
	})
}

func FuzzHeader(f *testing.F) {
	small := jpegOf(f, quarters(8, 8))
	f.Add(small)
	f.Add(withEXIF(small, exif(binary.BigEndian, 6)))
	f.Add(pngWithEXIF(pngOf(f, quarters(8, 8)), exif(binary.LittleEndian, 3)))
	f.Add(bomb(1<<20, 1<<20))
	f.Add(webpClaiming(16383, 16383))
	if data, err := base64.StdEncoding.DecodeString(webpPicture); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format, pixels, err := inspect(data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%v", err)
			}
			return
		}
		if pixels < 1 || pixels > photo.MaxPixels {
			t.Errorf("%d pixels pass", pixels)
		}
		format.exif(data)
	})
}

func FuzzConvert(f *testing.F) {
	f.Add(withEXIF(jpegOf(f, quarters(8, 8)), exif(binary.BigEndian, 6)))
	f.Add(pngOf(f, quarters(8, 8)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, pixels, err := inspect(data); err != nil || pixels > 10_000 {
			return
		}
		p, err := convert(data)
		if err != nil {
			return
		}
		if c, err := jpeg.DecodeConfig(bytes.NewReader(p.Large)); err != nil || c.Width != p.Width || c.Height != p.Height {
			t.Errorf("%d × %d: %v", p.Width, p.Height, err)
		}
	})
}
