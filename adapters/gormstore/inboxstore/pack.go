package inboxstore

import (
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/octavo-books/octavo/application/inbox"
)

// packedMark begins a packed payload; an s2 block follows. No JSON begins with it,
// so rows that are not packed are read as they are.
const packedMark = 0xff

// maxPacked is the largest payload that is packed, and so the most that unpack
// makes of a row, whatever the row claims. The service takes no larger bodies.
const maxPacked = 25 << 20

// maxKept is the largest buffer that a packer keeps for the next payload.
const maxKept = 1 << 20

// packer makes payloads smaller, one after another: fewer bytes to log, to sync
// and to check.
type packer struct{ buffer []byte }

// pack gives the payload as it is stored. It is valid until the next call.
func (p *packer) pack(payload []byte) []byte {
	marked := len(payload) > 0 && payload[0] == packedMark // it must not be taken for what it is not
	if len(payload) > maxPacked {
		return payload
	}
	need := 1 + s2.MaxEncodedLen(len(payload))
	buffer := p.buffer
	if cap(buffer) < need {
		buffer = make([]byte, need)
	}
	if cap(buffer) <= maxKept {
		p.buffer = buffer
	}
	buffer[0] = packedMark
	packed := s2.Encode(buffer[1:need], payload)
	if 1+len(packed) >= len(payload) && !marked {
		return payload
	}
	return buffer[:1+len(packed)]
}

// unpack gives the payload of a row, nil for none, or inbox.ErrPayloadDamaged.
func unpack(row []byte) ([]byte, error) {
	if len(row) == 0 || row[0] != packedMark {
		return row, nil
	}
	size, err := s2.DecodedLen(row[1:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", inbox.ErrPayloadDamaged, err)
	}
	if size > maxPacked {
		return nil, fmt.Errorf("%w: it claims to be %d bytes", inbox.ErrPayloadDamaged, size)
	}
	payload, err := s2.Decode(nil, row[1:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", inbox.ErrPayloadDamaged, err)
	}
	return payload, nil
}
