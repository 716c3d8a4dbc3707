package inboxstore

import (
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/octavo-books/octavo/application/inbox"
)

// compressedMarker begins a compressed payload; an s2 block follows. No JSON text
// begins with this byte, so uncompressed rows are read as they are.
const compressedMarker = 0xff

// maxCompressed is the largest payload that is compressed, and so the limit for
// decompress, whatever length a row claims. The service accepts no larger bodies.
const maxCompressed = 25 << 20

// maxReusedBuffer is the largest buffer that a compressor keeps for the next payload.
const maxReusedBuffer = 1 << 20

// compressor compresses one payload at a time, which leaves fewer bytes to write to
// the log, to sync and to checkpoint.
type compressor struct{ buffer []byte }

// compressAlone returns the row for a payload in a buffer of its own.
func compressAlone(payload []byte) []byte { return new(compressor).compress(payload) }

// compress returns the row for a payload. The row is valid until the next call.
func (p *compressor) compress(payload []byte) []byte {
	marked := len(payload) > 0 && payload[0] == compressedMarker // must be compressed, or decompress would mistake it
	if len(payload) > maxCompressed {
		return payload
	}
	need := 1 + s2.MaxEncodedLen(len(payload))
	buffer := p.buffer
	if cap(buffer) < need {
		buffer = make([]byte, need)
	}
	if cap(buffer) <= maxReusedBuffer {
		p.buffer = buffer
	}
	buffer[0] = compressedMarker
	packed := s2.Encode(buffer[1:need], payload)
	if 1+len(packed) >= len(payload) && !marked {
		return payload
	}
	return buffer[:1+len(packed)]
}

// decompress returns the payload of a row, nil for no row, or
// inbox.ErrPayloadDamaged.
func decompress(row []byte) ([]byte, error) {
	if len(row) == 0 || row[0] != compressedMarker {
		return row, nil
	}
	size, err := s2.DecodedLen(row[1:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", inbox.ErrPayloadDamaged, err)
	}
	if size > maxCompressed {
		return nil, fmt.Errorf("%w: it claims a length of %d bytes", inbox.ErrPayloadDamaged, size)
	}
	payload, err := s2.Decode(nil, row[1:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", inbox.ErrPayloadDamaged, err)
	}
	return payload, nil
}
