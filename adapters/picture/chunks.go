package picture

import (
	"encoding/binary"
	"iter"
)

// jpegSegments returns the segments before the picture with their markers, as far as they are
// complete.
func jpegSegments(data []byte) iter.Seq2[byte, []byte] {
	const startOfScan = 0xda
	return func(yield func(byte, []byte) bool) {
		for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != startOfScan; {
			if rest[1] == 0xff { // padding
				rest = rest[1:]
				continue
			}
			n := int(binary.BigEndian.Uint16(rest[2:])) + 2
			if n < 4 || n > len(rest) || !yield(rest[1], rest[4:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// pngChunk returns the content of the first chunk of that name.
func pngChunk(data []byte, name string) []byte {
	const signature, frame = 8, 12 // a chunk has its length, name and checksum
	for rest := data[signature:]; len(rest) >= frame; {
		n := binary.BigEndian.Uint32(rest)
		if uint64(n)+frame > uint64(len(rest)) {
			return nil
		}
		if string(rest[4:8]) == name {
			return rest[8 : 8+n]
		}
		rest = rest[frame+n:]
	}
	return nil
}

// riffChunks returns the chunks of a WebP file, as far as they are complete.
func riffChunks(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for rest := data[12:]; len(rest) >= 8; {
			n := uint64(binary.LittleEndian.Uint32(rest[4:]))
			if n > uint64(len(rest)-8) || !yield(string(rest[:4]), rest[8:8+n]) {
				return
			}
			rest = rest[min(8+n+n%2, uint64(len(rest))):]
		}
	}
}
