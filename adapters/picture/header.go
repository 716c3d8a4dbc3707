package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/octavo-books/octavo/domain/photo"
	"golang.org/x/image/webp"
)

// format is a format that is accepted.
type format struct {
	matches func([]byte) bool
	config  func([]byte) (width, height int, err error)
	decode  func(*bytes.Reader) (image.Image, error)
	exif    func([]byte) []byte
	profile func([]byte) []byte
}

var formats = []format{
	{
		matches: func(b []byte) bool { return bytes.HasPrefix(b, []byte{0xff, 0xd8, 0xff}) },
		config:  func(b []byte) (int, int, error) { return dimensions(jpeg.DecodeConfig(bytes.NewReader(b))) },
		decode:  func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) },
		exif:    exifOfJPEG,
		profile: profileOfJPEG,
	},
	{
		matches: func(b []byte) bool { return bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) },
		config:  func(b []byte) (int, int, error) { return dimensions(png.DecodeConfig(bytes.NewReader(b))) },
		decode:  func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
		exif:    exifOfPNG,
		profile: profileOfPNG,
	},
	{
		matches: func(b []byte) bool { return len(b) > 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP" },
		config:  webpDimensions,
		decode:  func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) },
		exif:    exifOfWebP,
		profile: profileOfWebP,
	},
}

func dimensions(c image.Config, err error) (int, int, error) { return c.Width, c.Height, err }

// inspect finds the format of a picture and checks its size and dimensions, without decoding
// it.
func inspect(data []byte) (f format, pixels int, err error) {
	if err := photo.CheckSize(len(data)); err != nil {
		return f, 0, err
	}
	for _, f := range formats {
		if !f.matches(data) {
			continue
		}
		width, height, err := f.config(data)
		if err != nil {
			return f, 0, photo.ErrDamaged
		}
		return f, width * height, photo.CheckDimensions(width, height)
	}
	return f, 0, photo.ErrFormat
}

// webpDimensions returns the largest dimensions that any part of a WebP file claims. Those of
// the file's header alone do not bound what the decoder allocates for the picture in it.
func webpDimensions(data []byte) (width, height int, err error) {
	c, err := webp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, err
	}
	width, height = c.Width, c.Height
	for name, chunk := range riffChunks(data) {
		var w, h int
		switch {
		case name == "VP8 " && len(chunk) >= 10:
			w, h = int(binary.LittleEndian.Uint16(chunk[6:])&0x3fff), int(binary.LittleEndian.Uint16(chunk[8:])&0x3fff)
		case name == "VP8L" && len(chunk) >= 5:
			bits := binary.LittleEndian.Uint32(chunk[1:])
			w, h = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
		}
		width, height = max(width, w), max(height, h)
	}
	return width, height, nil
}
