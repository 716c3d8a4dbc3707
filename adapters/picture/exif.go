package picture

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// orientation returns how a camera held the picture, as EXIF numbers it: 1 to 8, and 1 if the
// metadata do not say it or cannot be read.
func orientation(exif []byte) int {
	exif = bytes.TrimPrefix(exif, []byte(exifPrefix))
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(exif) < 8:
		return 1
	case string(exif[:2]) == "MM":
		order = binary.BigEndian
	case string(exif[:2]) != "II":
		return 1
	}
	at := order.Uint32(exif[4:])
	if uint64(at)+2 > uint64(len(exif)) {
		return 1
	}
	directory := exif[at:]
	entries := directory[2:]
	for range order.Uint16(directory) {
		if len(entries) < 12 {
			break
		}
		if value := order.Uint16(entries[8:]); order.Uint16(entries) == orientationTag && order.Uint16(entries[2:]) == shortType && value >= 1 && value <= 8 {
			return int(value)
		}
		entries = entries[12:]
	}
	return 1
}

const (
	exifPrefix     = "Exif\x00\x00"
	orientationTag = 0x0112
	shortType      = 3
)

// exifOfJPEG returns the content of the first APP1 segment with EXIF before the picture.
func exifOfJPEG(data []byte) []byte {
	const app1, startOfScan = 0xe1, 0xda
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != startOfScan; {
		if rest[1] == 0xff { // padding
			rest = rest[1:]
			continue
		}
		n := int(binary.BigEndian.Uint16(rest[2:])) + 2
		if n < 4 || n > len(rest) {
			return nil
		}
		if segment := rest[4:n]; rest[1] == app1 && bytes.HasPrefix(segment, []byte(exifPrefix)) {
			return segment
		}
		rest = rest[n:]
	}
	return nil
}

// exifOfPNG returns the content of the eXIf chunk.
func exifOfPNG(data []byte) []byte {
	const signature, frame = 8, 12 // a chunk has its length, name and checksum
	for rest := data[signature:]; len(rest) >= frame; {
		n := binary.BigEndian.Uint32(rest)
		if uint64(n)+frame > uint64(len(rest)) {
			return nil
		}
		if string(rest[4:8]) == "eXIf" {
			return rest[8 : 8+n]
		}
		rest = rest[frame+n:]
	}
	return nil
}

func exifOfWebP(data []byte) []byte {
	for name, chunk := range riffChunks(data) {
		if name == "EXIF" {
			return chunk
		}
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
