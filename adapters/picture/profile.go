package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"slices"
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

// space is an RGB colour space: the colours of its channels in XYZ under the light D50.
type space [3][3]float64

// parseProfile reads an ICC profile that has a colour for each channel, as those of cameras and
// phones have.
func parseProfile(profile []byte) (s space, ok bool) {
	const header, entry, tagBytes = 132, 12, 20
	if len(profile) < header || len(profile) > maxProfile || string(profile[16:24]) != "RGB XYZ " || string(profile[36:40]) != "acsp" {
		return s, false
	}
	found := 0
	for rest, n := profile[header:], binary.BigEndian.Uint32(profile[128:]); n > 0 && len(rest) >= entry; n, rest = n-1, rest[entry:] {
		channel := slices.Index([]string{"rXYZ", "gXYZ", "bXYZ"}, string(rest[:4]))
		at := uint64(binary.BigEndian.Uint32(rest[4:]))
		if channel < 0 || at+tagBytes > uint64(len(profile)) || string(profile[at:at+4]) != "XYZ " {
			continue
		}
		found |= 1 << channel
		for j := range 3 {
			s[channel][j] = float64(int32(binary.BigEndian.Uint32(profile[at+8+4*uint64(j):]))) / 65536
		}
	}
	return s, found == 0b111
}
