package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/test/must"
)

// TestMain acts as the worker if a converter started this binary: its environment then is that of
// the worker alone.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == workerArgument {
		os.Exit(Work(os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) == 2 && os.Args[1] == hangingArgument {
		time.Sleep(time.Hour) //nolint:forbidigo // a decoder that hangs
	}
	os.Exit(m.Run())
}

const (
	workerArgument  = "work"
	hangingArgument = "hang"
)

func newConverter(t *testing.T, argument string) *Converter {
	t.Helper()
	self := must.Get(Self())(t)
	return New(self, argument)
}

// quarters is a picture whose quarters are red, green, blue and white: the orientation shows.
func quarters(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, quarter(x*2/width, y*2/height))
		}
	}
	return m
}

func quarter(x, y int) color.RGBA {
	return [][]color.RGBA{{{255, 0, 0, 255}, {0, 255, 0, 255}}, {{0, 0, 255, 255}, {255, 255, 255, 255}}}[y][x]
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	return must.Get(encode(m, 95))(t)
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m))
	return b.Bytes()
}

// exif is a block of metadata with an orientation, and a location that must not be published.
func exif(order binary.ByteOrder, orientation uint16) []byte {
	mark := "II"
	if order == binary.ByteOrder(binary.BigEndian) {
		mark = "MM"
	}
	b := append([]byte(exifPrefix+mark), make([]byte, 6)...)
	order.PutUint16(b[8:], 42)
	order.PutUint32(b[10:], 8)
	b = append(b, make([]byte, 2+2*12)...)
	order.PutUint16(b[14:], 2)
	order.PutUint16(b[16:], 0x010e) // a description before it
	order.PutUint16(b[28:], orientationTag)
	order.PutUint16(b[30:], shortType)
	order.PutUint32(b[32:], 1)
	order.PutUint16(b[36:], orientation)
	return append(b, "GPS 43.1566 N"...)
}

// withEXIF adds metadata to a JPEG, after its first marker.
func withEXIF(data, metadata []byte) []byte {
	segment := append([]byte{0xff, 0xe1, 0, 0}, metadata...)
	binary.BigEndian.PutUint16(segment[2:], uint16(len(metadata)+2))
	return append(append(bytes.Clone(data[:2]), segment...), data[2:]...)
}

// pngWithEXIF adds metadata to a PNG, after its header.
func pngWithEXIF(data, metadata []byte) []byte {
	metadata = bytes.TrimPrefix(metadata, []byte(exifPrefix))
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(metadata))), "eXIf"...)
	chunk = append(chunk, metadata...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return append(append(bytes.Clone(data[:33]), chunk...), data[33:]...)
}

func TestAPhotoIsUprightHoweverTheCameraWasHeld(t *testing.T) {
	upright := quarters(80, 40)
	for orientation := uint16(1); orientation <= 8; orientation++ {
		stored := image.NewRGBA(image.Rect(0, 0, 80, 40))
		if orientation > 4 {
			stored = image.NewRGBA(image.Rect(0, 0, 40, 80))
		}
		for y := range 40 {
			for x := range 80 {
				fromX, fromY := origin(int(orientation), x, y, stored.Rect.Dx(), stored.Rect.Dy())
				if orientation == 1 {
					fromX, fromY = x, y
				}
				stored.SetRGBA(fromX, fromY, upright.RGBAAt(x, y))
			}
		}
		for name, data := range map[string][]byte{
			"big-endian JPEG": withEXIF(jpegOf(t, stored), exif(binary.BigEndian, orientation)), "little-endian JPEG": withEXIF(jpegOf(t, stored), exif(binary.LittleEndian, orientation)),
			"PNG": pngWithEXIF(pngOf(t, stored), exif(binary.LittleEndian, orientation)),
		} {
			p := must.Get(convert(data))(t)
			showsQuarters(t, name, p.Large, 80, 40)
			showsQuarters(t, name, p.Thumb, 80, 40)
			if bytes.Contains(p.Large, []byte("GPS")) || bytes.Contains(p.Thumb, []byte("Exif")) {
				t.Errorf("%s: metadata are kept", name)
			}
		}
	}
}

// showsQuarters fails unless a JPEG has these dimensions and shows quarters.
func showsQuarters(t *testing.T, name string, data []byte, width, height int) {
	t.Helper()
	m := must.Get(jpeg.Decode(bytes.NewReader(data)))(t)
	if m.Bounds().Dx() != width || m.Bounds().Dy() != height {
		t.Fatalf("%s: %v, want %d × %d", name, m.Bounds(), width, height)
	}
	for y := range 2 {
		for x := range 2 {
			r, g, b, _ := m.At(width/4+x*width/2, height/4+y*height/2).RGBA()
			want := quarter(x, y)
			for i, v := range []uint32{r, g, b} {
				if d := int(v>>8) - int([]uint8{want.R, want.G, want.B}[i]); d < -40 || d > 40 {
					t.Errorf("%s: quarter %d, %d is %d %d %d, want %v", name, x, y, r>>8, g>>8, b>>8, want)
					break
				}
			}
		}
	}
}

func TestALargePhotoIsShrunkAndASmallOneIsNot(t *testing.T) {
	for _, c := range []struct{ width, height, largeWidth, largeHeight, thumbWidth, thumbHeight int }{
		{4000, 3000, 1600, 1200, 400, 300}, {900, 2700, 533, 1600, 133, 400}, {1600, 10, 1600, 10, 400, 3}, {20, 10, 20, 10, 20, 10}, {1601, 1601, 1600, 1600, 400, 400}, {1, 5000, 1, 1600, 1, 400},
	} {
		p := must.Get(convert(jpegOf(t, quarters(c.width, c.height))))(t)
		if p.Width != c.largeWidth || p.Height != c.largeHeight {
			t.Errorf("%d × %d becomes %d × %d", c.width, c.height, p.Width, p.Height)
		}
		if min(c.width, c.height) > 10 {
			showsQuarters(t, "large", p.Large, c.largeWidth, c.largeHeight)
			showsQuarters(t, "thumb", p.Thumb, c.thumbWidth, c.thumbHeight)
		}
	}
}

// A mean that misses or counts a pixel twice would be darker or brighter.
// A page has dozens of them.
func TestTheThumbnailOfABusyPictureIsSmall(t *testing.T) {
	busy := image.NewRGBA(image.Rect(0, 0, 900, 1200))
	for i := range busy.Pix {
		busy.Pix[i] = byte(i * i >> 6)
		if i%4 == 3 {
			busy.Pix[i] = 255
		}
	}
	out, err := convert(jpegOf(t, busy))
	if err != nil || len(out.Thumb) > thumbBytes {
		t.Errorf("%d bytes, %v", len(out.Thumb), err)
	}
	if plain, err := encode(shrink(busy, 400), thumbQuality); err != nil || len(plain) <= thumbBytes {
		t.Errorf("the picture is not busy enough: %d bytes, %v", len(plain), err)
	}
}

func TestShrinkingKeepsTheBrightness(t *testing.T) {
	for _, size := range []int{1600, 1601, 1777, 3199, 3200, 4001} {
		m := image.NewGray(image.Rect(3, 5, 3+size, 5+7))
		for i := range m.Pix {
			m.Pix[i] = 131
		}
		for _, v := range shrink(m, photo.LargeSide).Pix {
			if v != 131 && v != 255 {
				t.Fatalf("width %d: a pixel is %d", size, v)
			}
		}
	}
}

// webpPicture is a lossless picture of 2 × 1 pixels, made by cwebp.
const webpPicture = "UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAAfQ//73v/+BiOh/AAA="

func TestTransparentPicturesAreShownOnWhite(t *testing.T) {
	p := must.Get(convert(pngOf(t, image.NewNRGBA(image.Rect(0, 0, 8, 8)))))(t)
	m := must.Get(jpeg.Decode(bytes.NewReader(p.Large)))(t)
	if r, g, b, _ := m.At(4, 4).RGBA(); r>>8 < 250 || g>>8 < 250 || b>>8 < 250 {
		t.Errorf("it is shown on %d %d %d", r>>8, g>>8, b>>8)
	}
}

func TestAWebPPictureIsAccepted(t *testing.T) {
	data := must.Get(base64.StdEncoding.DecodeString(webpPicture))(t)
	p, err := convert(data)
	if err != nil || p.Width < 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestPicturesOfAllKindsThatTheStandardLibraryKnowsAreAccepted(t *testing.T) {
	bounds := image.Rect(0, 0, 30, 20)
	for name, m := range map[string]image.Image{
		"gray": image.NewGray(bounds), "16 bits": image.NewNRGBA64(bounds), "16 bits of gray": image.NewGray16(bounds), "palette": image.NewPaletted(bounds, color.Palette{color.Black, color.White}),
	} {
		if _, err := convert(pngOf(t, m)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bomb is a PNG that claims dimensions and has nothing else.
func bomb(width, height uint32) []byte {
	header := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"), make([]byte, 13)...)
	binary.BigEndian.PutUint32(header[16:], width)
	binary.BigEndian.PutUint32(header[20:], height)
	header[24], header[25] = 8, 2
	return binary.BigEndian.AppendUint32(header, crc32.ChecksumIEEE(header[12:]))
}

// webpClaiming is a WebP whose header claims a small canvas and whose picture is large.
func webpClaiming(width, height uint16) []byte {
	extended := append([]byte("VP8X\x0a\x00\x00\x00"), make([]byte, 10)...)
	frame := append([]byte("VP8 \x0a\x00\x00\x00"), 0, 0, 0, 0x9d, 0x01, 0x2a)
	frame = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(frame, width), height)
	body := append(append([]byte("WEBP"), extended...), frame...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func TestAnInvalidOrTooLargePictureIsRefusedByItsHeader(t *testing.T) {
	c := newConverter(t, hangingArgument) // it would hang if it were asked to decode
	good := jpegOf(t, quarters(40, 40))
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"nothing": {nil, photo.ErrEmpty}, "text": {[]byte("hello, this is no picture"), photo.ErrFormat}, "GIF": {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), photo.ErrFormat},
		"SVG": {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), photo.ErrFormat}, "a large file": {append(good, make([]byte, photo.MaxBytes)...), photo.ErrTooLarge},
		"41 megapixels": {bomb(8200, 5000), photo.ErrTooDetailed}, "a PNG bomb": {bomb(1<<31-1, 1<<31-1), photo.ErrDamaged}, "a wide bomb": {bomb(1<<30, 1), photo.ErrTooDetailed},
		"a WebP with a large picture in a small canvas": {webpClaiming(16383, 16383), photo.ErrTooDetailed}, "a JPEG without an end": {good[:20], photo.ErrDamaged}, "three bytes": {[]byte{0xff, 0xd8, 0xff}, photo.ErrDamaged},
	} {
		for _, err := range []error{c.CheckPicture(test.data), second(c.ConvertPicture(t.Context(), 1, test.data))} {
			if err == nil || err.Error() != test.want.Error() {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
	}
}

func TestAStoredPhotoIsTurnedToTheRight(t *testing.T) {
	c := newConverter(t, workerArgument)
	first := must.Get(c.ConvertPicture(t.Context(), 1, jpegOf(t, quarters(300, 200))))(t)
	p := must.Get(c.TurnPicture(t.Context(), 1, first.Large))(t)
	m := must.Get(jpeg.Decode(bytes.NewReader(p.Large)))(t)
	if p.Width != 200 || p.Height != 300 || m.Bounds().Dx() != 200 {
		t.Fatalf("the turned photo is %d by %d", p.Width, p.Height)
	}
	for at, want := range map[image.Point]color.RGBA{{50, 75}: quarter(0, 1), {150, 75}: quarter(0, 0), {50, 225}: quarter(1, 1), {150, 225}: quarter(1, 0)} {
		r, g, b, _ := m.At(at.X, at.Y).RGBA()
		if r>>15 != uint32(want.R>>7) || g>>15 != uint32(want.G>>7) || b>>15 != uint32(want.B>>7) {
			t.Errorf("at %s is %v, want %v", at, m.At(at.X, at.Y), want)
		}
	}
	if _, err := c.TurnPicture(t.Context(), 1, []byte("no picture")); err == nil {
		t.Error("a file that is no picture is turned")
	}
}

func TestThePartInAFrameIsLeftOfAStoredPhoto(t *testing.T) {
	c := newConverter(t, workerArgument)
	first := must.Get(c.ConvertPicture(t.Context(), 1, jpegOf(t, quarters(400, 200))))(t)
	for f, want := range map[photo.Frame]color.RGBA{{X: 0, Y: 0, Size: 50}: quarter(0, 0), {X: 100, Y: 100, Size: 50}: quarter(1, 1)} {
		p := must.Get(c.CropPicture(t.Context(), 1, first.Large, f))(t)
		m := must.Get(jpeg.Decode(bytes.NewReader(p.Large)))(t)
		if p.Width != 75 || p.Height != 100 || m.Bounds().Dx() != 75 || len(p.Thumb) == 0 {
			t.Fatalf("%v: the part is %d by %d", f, p.Width, p.Height)
		}
		if r, g, b, _ := m.At(37, 50).RGBA(); r>>15 != uint32(want.R>>7) || g>>15 != uint32(want.G>>7) || b>>15 != uint32(want.B>>7) {
			t.Errorf("%v: the part shows %v, want %v", f, m.At(37, 50), want)
		}
		if _, found := frameOf(p.Large); found {
			t.Error("the part has a frame")
		}
	}
	must.Refuse(t, must.Err(c.CropPicture(t.Context(), 1, first.Large, photo.Frame{X: 50, Y: 50, Size: 10})), photo.ErrFrame, "a tiny part")
	if _, err := c.CropPicture(t.Context(), 1, []byte("no picture"), photo.Centre); err == nil {
		t.Error("a file that is no picture is cropped")
	}
}

func second(_ photo.Pictures, err error) error { return err }
