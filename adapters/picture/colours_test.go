package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// displayP3 is a profile as phones write it; with a table of 1,024 values for each curve instead
// of a formula, as cameras do.
func displayP3(t testing.TB, table bool) []byte {
	t.Helper()
	return profileOf(map[string][3]float64{"r": {0.51512, 0.2412, -0.00105}, "g": {0.29198, 0.69225, 0.04189}, "b": {0.1571, 0.06657, 0.78407}}, table)
}

func profileOf(colours map[string][3]float64, table bool) []byte {
	number := func(b []byte, v float64) []byte {
		return binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*65536))))
	}
	curve := []byte("para\x00\x00\x00\x00\x00\x03\x00\x00")
	for _, p := range []float64{2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045} {
		curve = number(curve, p)
	}
	if table {
		curve = binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), 1024)
		for i := range 1024 {
			curve = binary.BigEndian.AppendUint16(curve, uint16(math.Round(65535*float64(light[i/4]))))
		}
	}
	profile := make([]byte, 128)
	copy(profile[16:], "RGB XYZ ")
	copy(profile[36:], "acsp")
	profile = binary.BigEndian.AppendUint32(profile, 6)
	content, at := []byte(nil), uint32(len(profile)+6*12)
	for _, channel := range []string{"r", "g", "b"} {
		colour := []byte("XYZ \x00\x00\x00\x00")
		for _, v := range colours[channel] {
			colour = number(colour, v)
		}
		for name, tag := range map[string][]byte{"XYZ": colour, "TRC": curve} {
			profile = append(profile, channel+name...)
			profile = binary.BigEndian.AppendUint32(profile, at+uint32(len(content)))
			profile = binary.BigEndian.AppendUint32(profile, uint32(len(tag)))
			content = append(content, tag...)
		}
	}
	return append(profile, content...)
}

// jpegWithProfile inserts a profile in two segments, in the wrong order.
func jpegWithProfile(picture, profile []byte) []byte {
	half := len(profile) / 2
	out := bytes.Clone(picture[:2])
	for _, part := range []struct {
		n    byte
		data []byte
	}{{2, profile[half:]}, {1, profile[:half]}} {
		segment := append([]byte(iccPrefix), part.n, 2)
		segment = append(segment, part.data...)
		out = append(binary.BigEndian.AppendUint16(append(out, 0xff, 0xe2), uint16(len(segment)+2)), segment...)
	}
	return append(out, picture[2:]...)
}

func pngWithProfile(t testing.TB, picture, profile []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	packed.WriteString("Display P3\x00\x00")
	z := zlib.NewWriter(&packed)
	_, err := z.Write(profile)
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	chunk := append([]byte("iCCP"), packed.Bytes()...)
	const header = 8 + 12 + 13
	out := binary.BigEndian.AppendUint32(bytes.Clone(picture[:header]), uint32(packed.Len()))
	out = binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
	return append(out, picture[header:]...)
}

// filled is a picture of one colour.
func filled(c color.RGBA) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := 0; i < len(m.Pix); i += 4 {
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = c.R, c.G, c.B, c.A
	}
	return m
}

func TestThePictureOfAPhoneHasTheColoursThatThePhoneShows(t *testing.T) {
	for _, c := range []struct{ in, want color.RGBA }{
		{color.RGBA{200, 100, 50, 255}, color.RGBA{215, 93, 30, 255}}, // by the formulas of CSS Color 4
		{color.RGBA{128, 128, 128, 255}, color.RGBA{128, 128, 128, 255}},
		{color.RGBA{255, 255, 255, 255}, color.RGBA{255, 255, 255, 255}},
		{color.RGBA{255, 0, 0, 255}, color.RGBA{255, 0, 0, 255}}, // sRGB has nothing redder
	} {
		for name, data := range map[string][]byte{
			"JPEG with a formula": jpegWithProfile(jpegOf(t, filled(c.in)), displayP3(t, false)), "JPEG with a table": jpegWithProfile(jpegOf(t, filled(c.in)), displayP3(t, true)),
			"PNG": pngWithProfile(t, pngOf(t, filled(c.in)), displayP3(t, false)),
		} {
			p, err := convert(data)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, kept := range [][]byte{p.Large, p.Thumb} {
				m := must.Get(jpeg.Decode(bytes.NewReader(kept)))(t)
				got := color.RGBAModel.Convert(m.At(20, 20)).(color.RGBA)
				if max(distance(got.R, c.want.R), distance(got.G, c.want.G), distance(got.B, c.want.B)) > 3 {
					t.Errorf("%s: %v becomes %v, want %v", name, c.in, got, c.want)
				}
			}
		}
	}
}

func distance(a, b byte) int { return max(int(a)-int(b), int(b)-int(a)) }

func TestAPictureInOrdinaryColoursKeepsThem(t *testing.T) {
	m := quarters(40, 40)
	want := bytes.Clone(m.Pix)
	toSRGB(m, profileOf(map[string][3]float64{"r": {0.43607, 0.22249, 0.01392}, "g": {0.38515, 0.71687, 0.09708}, "b": {0.14307, 0.06061, 0.7141}}, false))
	if !bytes.Equal(m.Pix, want) {
		t.Error("sRGB was changed")
	}
	for _, profile := range [][]byte{nil, []byte("acsp"), displayP3(t, false)[:150], make([]byte, 4000)} {
		if toSRGB(m, profile); !bytes.Equal(m.Pix, want) {
			t.Errorf("a profile of %d bytes changed it", len(profile))
		}
	}
}

func FuzzProfile(f *testing.F) {
	f.Add(displayP3(f, false))
	f.Add(displayP3(f, true))
	f.Fuzz(func(_ *testing.T, profile []byte) { toSRGB(quarters(4, 4), profile) })
}
