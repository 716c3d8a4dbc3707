package picture

import (
	"bytes"
	"encoding/binary"
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
		if value := order.Uint16(entries[8:]); order.Uint16(entries) == orientationTag && order.Uint16(entries[2:]) == shortType &&
			value >= 1 && value <= 8 {
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
	const app1 = 0xe1
	for marker, segment := range jpegSegments(data) {
		if marker == app1 && bytes.HasPrefix(segment, []byte(exifPrefix)) {
			return segment
		}
	}
	return nil
}

// exifOfPNG returns the content of the eXIf chunk.
func exifOfPNG(data []byte) []byte { return pngChunk(data, "eXIf") }

func exifOfWebP(data []byte) []byte {
	for name, chunk := range riffChunks(data) {
		if name == "EXIF" {
			return chunk
		}
	}
	return nil
}
