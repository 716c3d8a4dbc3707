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

func TestACompressedPayloadIsReadBackUnchanged(t *testing.T) {
	word := rapid.SampledFrom([]string{`{"url":"https://host.example/repos/`, `null,`, "\xff", "\xff\x00", `}`, "é"})
	rapid.Check(t, func(t *rapid.T) {
		var p compressor
		for range rapid.IntRange(1, 3).Draw(t, "payloads") {
			payload := []byte(strings.Join(rapid.SliceOf(rapid.OneOf(word, rapid.String())).Draw(t, "words"), ""))
			row := p.compress(payload)
			if len(row) > len(payload) && !bytes.HasPrefix(payload, []byte{compressedMarker}) {
				t.Fatalf("%d bytes became %d", len(payload), len(row))
			}
			if got, err := decompress(row); err != nil || !bytes.Equal(got, payload) {
				t.Fatalf("%q came back as %q, %v", payload, got, err)
			}
		}
	})
}

func TestARealPayloadShrinksToLessThanHalf(t *testing.T) {
	var p compressor
	for _, event := range []webhook.EventName{"push", "pull_request"} {
		payload, _ := sample.Payload(event)
		if row := p.compress(payload); len(row) > len(payload)/2 {
			t.Errorf("%s: %d bytes became %d", event, len(payload), len(row))
		}
	}
}

func TestAnUncompressedRowIsReadAsItIs(t *testing.T) {
	for _, row := range []string{`{"a":1}`, ` {}`, ``} {
		if got, err := decompress([]byte(row)); err != nil || string(got) != row {
			t.Errorf("%q is read as %q, %v", row, got, err)
		}
	}
	if got, err := decompress(nil); got != nil || err != nil {
		t.Errorf("no row is read as %v, %v", got, err)
	}
}

// hostileRows are rows that no compressor writes.
func hostileRows() map[string][]byte {
	huge := binary.AppendUvarint([]byte{compressedMarker}, 1<<31)
	whole := append([]byte{compressedMarker}, s2.Encode(nil, []byte(strings.Repeat(`{"a":1}`, 100)))...)
	return map[string][]byte{
		"only the marker":    {compressedMarker},
		"unending length":    bytes.Repeat([]byte{compressedMarker}, 12),
		"2 GiB in few bytes": append(huge, 0, 'x'),
		"one over the limit": append(binary.AppendUvarint([]byte{compressedMarker}, maxCompressed+1), 0, 'x'),
		"truncated":          whole[:len(whole)-3],
		"trailing bytes":     append(bytes.Clone(whole), "more"...),
	}
}

func TestADamagedRowIsAClearErrorAndAllocatesNothing(t *testing.T) {
	for what, row := range hostileRows() {
		if got, err := decompress(row); !errors.Is(err, inbox.ErrPayloadDamaged) || got != nil {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
	}
}

func FuzzDecompressingReturnsAPayloadOrAnError(f *testing.F) {
	var p compressor
	payload, _ := sample.Payload("push")
	f.Add(bytes.Clone(p.compress(payload)))
	for _, row := range hostileRows() {
		f.Add(row)
	}
	f.Fuzz(func(t *testing.T, row []byte) {
		got, err := decompress(row)
		if err != nil && (got != nil || !errors.Is(err, inbox.ErrPayloadDamaged)) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if len(got) > max(maxCompressed, len(row)) {
			t.Errorf("%d bytes from %d", len(got), len(row))
		}
	})
}
