package photo

import (
	"bytes"
	"hash/crc32"
)

// Sum tells a stored picture from any other: its size in bytes and, in the lower 32 bits, its
// checksum. 0 means that it is not known. The numbers are stored.
type Sum int64

// Unreadable is the sum of a picture that was damaged before its sum was known.
const Unreadable Sum = -1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumOf returns the sum of a picture.
func SumOf(data []byte) Sum {
	return Sum(int64(len(data))<<32 | int64(crc32.Checksum(data, castagnoli)))
}

// Size returns the size of the picture in bytes.
func (s Sum) Size() int64 { return int64(s) >> 32 }

// Fits reports whether data are the picture whose sum this is. Without a sum they must be a
// whole JPEG.
func (s Sum) Fits(data []byte) bool {
	if s == 0 {
		return Whole(data)
	}
	return s == SumOf(data)
}

// FitsSize is Fits for a picture of which only the size is known.
func (s Sum) FitsSize(n int64) bool { return s == 0 && n > 0 || s > 0 && s.Size() == n }

// Whole reports whether data begin and end as the pictures that are stored do.
func Whole(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xd8")) && bytes.HasSuffix(data, []byte("\xff\xd9"))
}
