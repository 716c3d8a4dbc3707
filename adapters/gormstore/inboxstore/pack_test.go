package inboxstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"pgregory.net/rapid"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

func TestWhatIsPackedComesBackByteByByte(t *testing.T) {
	word := rapid.SampledFrom([]string{`{"url":"https://host.example/repos/`, `null,`, "\xff", "\xff\x00", `}`, "é"})
	rapid.Check(t, func(t *rapid.T) {
		var p packer
		for range rapid.IntRange(1, 3).Draw(t, "payloads") {
			payload := []byte(strings.Join(rapid.SliceOf(rapid.OneOf(word, rapid.String())).Draw(t, "words"), ""))
			row := p.pack(payload)
			if len(row) > len(payload) && !bytes.HasPrefix(payload, []byte{packedMark}) {
				t.Fatalf("%d bytes became %d", len(payload), len(row))
			}
			if got, err := unpack(row); err != nil || !bytes.Equal(got, payload) {
				t.Fatalf("%q came back as %q, %v", payload, got, err)
			}
		}
	})
}

func TestARealPayloadTakesLessThanHalf(t *testing.T) {
	var p packer
	for _, event := range []webhook.EventName{"push", "pull_request"} {
		payload, _ := sample.Payload(event)
		if row := p.pack(payload); len(row) > len(payload)/2 {
			t.Errorf("%s: %d bytes became %d", event, len(payload), len(row))
		}
	}
}

func TestARowOfAnOlderFileIsReadAsItIs(t *testing.T) {
	for _, row := range []string{`{"a":1}`, ` {}`, ``} {
		if got, err := unpack([]byte(row)); err != nil || string(got) != row {
			t.Errorf("%q is read as %q, %v", row, got, err)
		}
	}
	if got, err := unpack(nil); got != nil || err != nil {
		t.Errorf("no row is read as %v, %v", got, err)
	}
}

// hostileRows are what no packer writes.
func hostileRows() map[string][]byte {
	huge := binary.AppendUvarint([]byte{packedMark}, 1<<31)
	whole := append([]byte{packedMark}, s2.Encode(nil, []byte(strings.Repeat(`{"a":1}`, 100)))...)
	return map[string][]byte{
		"only the mark":      {packedMark},
		"no end of length":   bytes.Repeat([]byte{packedMark}, 12),
		"2 GiB in few bytes": append(huge, 0, 'x'),
		"one over the bound": append(binary.AppendUvarint([]byte{packedMark}, maxPacked+1), 0, 'x'),
		"cut off":            whole[:len(whole)-3],
		"more than it says":  append(bytes.Clone(whole), "more"...),
	}
}

func TestADamagedRowIsAClearErrorAndTakesNoMemory(t *testing.T) {
	for what, row := range hostileRows() {
		if got, err := unpack(row); !errors.Is(err, inbox.ErrPayloadDamaged) || got != nil {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
	}
}

func FuzzUnpackingEndsInAPayloadOrAnError(f *testing.F) {
	var p packer
	payload, _ := sample.Payload("push")
	f.Add(bytes.Clone(p.pack(payload)))
	for _, row := range hostileRows() {
		f.Add(row)
	}
	f.Fuzz(func(t *testing.T, row []byte) {
		got, err := unpack(row)
		if err != nil && (got != nil || !errors.Is(err, inbox.ErrPayloadDamaged)) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if len(got) > max(maxPacked, len(row)) {
			t.Errorf("%d bytes from %d", len(got), len(row))
		}
	})
}
