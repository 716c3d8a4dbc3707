package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// quarterTurn says in EXIF that the camera was held so that its picture has to be turned to the right.
const quarterTurn = 6

// TurnPicture is selling.PictureConverter.
func (c *Converter) TurnPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error) {
	return c.ConvertPicture(ctx, by, turned(data))
}

// turned returns a JPEG without metadata with one that turns it: whatever reads it makes it upright.
func turned(jpeg []byte) []byte {
	const startOfImage = 2
	if !bytes.HasPrefix(jpeg, []byte{0xff, 0xd8}) {
		return jpeg
	}
	exif := []byte(exifPrefix + "MM\x00\x2a")
	exif = binary.BigEndian.AppendUint32(exif, 8) // where the directory begins
	for _, n := range []uint16{1, orientationTag, shortType, 0, 1, quarterTurn, 0, 0, 0} {
		exif = binary.BigEndian.AppendUint16(exif, n) // one entry: its tag, its type, one value; no other directory
	}
	segment := append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2)), exif...)
	return slices.Insert(slices.Clone(jpeg), startOfImage, segment...)
}
