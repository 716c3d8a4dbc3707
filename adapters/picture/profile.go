package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
)

const (
	maxProfile = 1 << 20 // of a profile, unpacked
	iccPrefix  = "ICC_PROFILE\x00"
)

// profileOfJPEG joins the profile from its APP2 segments.
func profileOfJPEG(data []byte) []byte {
	const app2, header = 0xe2, len(iccPrefix) + 2
	var parts [256][]byte
	for marker, segment := range jpegSegments(data) {
		if marker == app2 && len(segment) > header && bytes.HasPrefix(segment, []byte(iccPrefix)) {
			parts[segment[len(iccPrefix)]] = segment[header:]
		}
	}
	return bytes.Join(parts[:], nil)
}

// profileOfPNG unpacks the iCCP chunk: a name, the method and the compressed profile.
func profileOfPNG(data []byte) []byte {
	_, packed, ok := bytes.Cut(pngChunk(data, "iCCP"), []byte{0})
	if !ok || len(packed) < 1 {
		return nil
	}
	r, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(r, maxProfile))
	if err != nil {
		return nil
	}
	return profile
}

func profileOfWebP(data []byte) []byte {
	for name, chunk := range riffChunks(data) {
		if name == "ICCP" {
			return chunk
		}
	}
	return nil
}

// space is an RGB colour space: how much light each value of a channel is, and the colours of
// the channels in XYZ under the light D50.
type space struct {
	light  [3][256]float64
	colour [3][3]float64
}

// parseProfile reads an ICC profile that has a curve and a colour for each channel, as those of
// cameras and phones have.
func parseProfile(profile []byte) (s space, ok bool) {
	const header, entry = 132, 12
	if len(profile) < header || len(profile) > maxProfile || string(profile[16:24]) != "RGB XYZ " || string(profile[36:40]) != "acsp" {
		return s, false
	}
	tags := map[string][]byte{}
	for rest, n := profile[header:], binary.BigEndian.Uint32(profile[128:]); n > 0 && len(rest) >= entry; n, rest = n-1, rest[entry:] {
		at, size := uint64(binary.BigEndian.Uint32(rest[4:])), uint64(binary.BigEndian.Uint32(rest[8:]))
		if at+size <= uint64(len(profile)) {
			tags[string(rest[:4])] = profile[at : at+size]
		}
	}
	for i, channel := range []string{"r", "g", "b"} {
		colour, curve := tags[channel+"XYZ"], parseCurve(tags[channel+"TRC"])
		if len(colour) < 20 || string(colour[:4]) != "XYZ " || curve == nil {
			return s, false
		}
		for j := range 3 {
			s.colour[i][j] = fixed(colour[8+4*j:])
		}
		for v := range s.light[i] {
			if light := curve(float64(v) / 255); light > 0 { // and is a number
				s.light[i][v] = min(light, 1)
			}
		}
	}
	return s, true
}

func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// parseCurve returns nil for a curve of another kind.
func parseCurve(tag []byte) func(float64) float64 {
	if len(tag) < 12 {
		return nil
	}
	switch string(tag[:4]) {
	case "curv":
		return sampledCurve(tag[12:], binary.BigEndian.Uint32(tag[8:]))
	case "para":
		return formula(tag[12:], binary.BigEndian.Uint16(tag[8:]))
	}
	return nil
}

// sampledCurve is a table of n values, or a power if n is 1.
func sampledCurve(table []byte, n uint32) func(float64) float64 {
	at := func(i int) float64 { return float64(binary.BigEndian.Uint16(table[2*i:])) }
	switch {
	case n == 0:
		return func(x float64) float64 { return x }
	case uint64(len(table)) < 2*uint64(n):
		return nil
	case n == 1:
		power := at(0) / 256
		return func(x float64) float64 { return math.Pow(x, power) }
	}
	last := int(n) - 1
	return func(x float64) float64 {
		whole, part := math.Modf(x * float64(last))
		i := int(whole)
		return (at(i)*(1-part) + at(min(i+1, last))*part) / 65535
	}
}

// formula is a parametric curve: a power above d, and a line below.
func formula(parameters []byte, kind uint16) func(float64) float64 {
	counts := []int{1, 3, 4, 5, 7}
	if int(kind) >= len(counts) || len(parameters) < 4*counts[kind] {
		return nil
	}
	var p [7]float64
	for i := range counts[kind] {
		p[i] = fixed(parameters[4*i:])
	}
	g, a, b, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	switch kind {
	case 0:
		a, b, c, d, e, f = 1, 0, 0, 0, 0, 0
	case 1:
		c, d, e, f = 0, -b/a, 0, 0
	case 2:
		c, d, e, f = 0, -b/a, p[3], p[3]
	case 3:
		e, f = 0, 0
	}
	return func(x float64) float64 {
		if x >= d {
			return math.Pow(a*x+b, g) + e
		}
		return c*x + f
	}
}
