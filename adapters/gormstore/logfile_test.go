package gormstore_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	sqlite3 "modernc.org/sqlite/lib"
	"pgregory.net/rapid"
)

const (
	frameHeader = 24
	framePage   = 4096
	wholeFrame  = frameHeader + framePage
	logHeader   = 32
)

// logModel is what the connection of a log has to read there, and what anybody else may.
type logModel struct {
	log     *gormstore.Log
	path    string
	own     []byte
	others  [][]byte // the file may be as any of these, the last is own
	locked  bool
	frames  int // in a row, of which the connection wrote the last
	counter byte
}

// apply changes what the connection has to read.
func (m *logModel) apply(data []byte, offset int) {
	m.own = slices.Clone(m.own)
	m.own = append(m.own, make([]byte, max(0, offset+len(data)-len(m.own)))...)
	copy(m.own[offset:], data)
	m.others = append(m.others, m.own)
}

// written holds from when the file has to be what the connection reads.
func (m *logModel) written(t *rapid.T, after string, code int32) {
	if code != 0 {
		t.Fatalf("%s: code %d", after, code)
	}
	if got := m.file(t); !bytes.Equal(got, m.own) {
		t.Fatalf("after %s others do not read what the connection has written: %d bytes of %d", after, len(got), len(m.own))
	}
	m.others = [][]byte{m.own}
}

func (m *logModel) file(t *rapid.T) []byte {
	got, err := os.ReadFile(m.path)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (m *logModel) write(t *rapid.T, data []byte, offset int) {
	m.apply(data, offset)
	if code := m.log.Write(data, int64(offset)); code != 0 {
		t.Fatalf("write: code %d", code)
	}
	if !m.locked {
		m.written(t, "a write without the lock", 0)
	}
}

// piece gives bytes that differ from all before; a header says whether it commits.
func (m *logModel) piece(size int, commits bool) []byte {
	m.counter++
	p := bytes.Repeat([]byte{m.counter}, size)
	if size == frameHeader {
		binary.BigEndian.PutUint32(p[4:], 0)
		if commits {
			binary.BigEndian.PutUint32(p[4:], 7)
		}
	}
	return p
}

func place(frame int) int { return logHeader + frame*wholeFrame }

func (m *logModel) frame(t *rapid.T, commits bool) {
	m.write(t, m.piece(frameHeader, commits), place(m.frames))
	m.write(t, m.piece(framePage, false), place(m.frames)+frameHeader)
	m.frames++
	if commits {
		m.written(t, "a commit", 0)
	}
}

// Commit writes a transaction, or the rest of one.
func (m *logModel) Commit(t *rapid.T) {
	m.Spill(t)
	m.frame(t, true)
}

// Spill writes frames of a transaction that goes on.
func (m *logModel) Spill(t *rapid.T) {
	for range rapid.IntRange(0, 40).Draw(t, "frames") {
		m.frame(t, false)
	}
}

// Restart begins the log anew.
func (m *logModel) Restart(t *rapid.T) {
	m.frames = 0
	m.write(t, m.piece(logHeader, false), 0)
}

// StepBack goes back to a savepoint.
func (m *logModel) StepBack(t *rapid.T) {
	m.frames = rapid.IntRange(0, m.frames).Draw(t, "left")
}

// WriteAgain writes a page of a frame anew.
func (m *logModel) WriteAgain(t *rapid.T) {
	if m.frames > 0 {
		m.write(t, m.piece(framePage, false), place(rapid.IntRange(0, m.frames-1).Draw(t, "frame"))+frameHeader)
	}
}

// Mend writes the headers of frames anew after it has read them, of which the
// last commits.
func (m *logModel) Mend(t *rapid.T) {
	if m.frames == 0 {
		return
	}
	for f := rapid.IntRange(0, m.frames-1).Draw(t, "first"); f < m.frames; f++ {
		m.read(t, wholeFrame, place(f))
		m.write(t, m.piece(frameHeader, f == m.frames-1), place(f))
	}
	m.written(t, "a commit whose frames were mended", 0)
}

func (m *logModel) read(t *rapid.T, size, offset int) {
	got, code := m.log.Read(size, int64(offset))
	want := make([]byte, size)
	whole := copy(want, m.own[min(offset, len(m.own)):]) == size
	if !bytes.Equal(got, want) || (code == 0) != whole {
		t.Fatalf("%d bytes at %d are not what was written: code %d", size, offset, code)
	}
}

// Read reads anything.
func (m *logModel) Read(t *rapid.T) {
	size := rapid.OneOf(rapid.IntRange(1, 3), rapid.IntRange(1, 2*wholeFrame)).Draw(t, "size")
	offset := place(rapid.IntRange(0, m.frames).Draw(t, "frame")) + rapid.OneOf(rapid.IntRange(-3, 3), rapid.IntRange(0, wholeFrame)).Draw(t, "into it")
	m.read(t, size, offset)
}

// Sync is for those frames, too, that do not commit.
func (m *logModel) Sync(t *rapid.T) { m.written(t, "a sync", m.log.Sync()) }

// Truncate cuts the log off.
func (m *logModel) Truncate(t *rapid.T) {
	m.frames = rapid.IntRange(0, m.frames).Draw(t, "left")
	size := min(place(m.frames), len(m.own))
	m.own = m.own[:size:size]
	m.written(t, "truncating", m.log.Truncate(size))
}

// Size asks how long the log is.
func (m *logModel) Size(t *rapid.T) {
	size, code := m.log.Size()
	if size != int64(len(m.own)) {
		t.Fatalf("%d bytes, want %d", size, len(m.own))
	}
	m.written(t, "asking for the size", code)
}

// Take takes the lock of writers, after which the log goes on from anywhere.
func (m *logModel) Take(*rapid.T) {
	m.locked = true
	m.log.Take()
}

// GiveBack ends a transaction. If it has not committed, what others read stays as it is.
func (m *logModel) GiveBack(t *rapid.T) {
	m.locked = false
	m.log.GiveBack()
	m.own = m.file(t)
	m.others = [][]byte{m.own}
	m.frames = min(m.frames, max(0, len(m.own)-logHeader)/wholeFrame)
}

// Elsewhere is what another program writes while it has the lock.
func (m *logModel) Elsewhere(t *rapid.T) {
	if m.locked {
		return
	}
	offset := place(rapid.IntRange(0, m.frames).Draw(t, "frame"))
	m.apply(m.piece(wholeFrame, false), offset)
	f, err := os.OpenFile(m.path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(m.own[offset:offset+wholeFrame], int64(offset)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	m.written(t, "somebody else", 0)
}

// Check looks whether the file is as it was at some moment since all was written.
func (m *logModel) Check(t *rapid.T) {
	got := m.file(t)
	if !slices.ContainsFunc(m.others, func(may []byte) bool { return bytes.Equal(may, got) }) {
		t.Fatalf("the file is as it never was: %d bytes", len(got))
	}
}

func TestALogThatGathersIsAlwaysAsOneWouldBeThatDoesNot(t *testing.T) {
	if err := gormstore.ConfigureSQLite(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "octavo.db-wal")
	log := gormstore.OpenLog(t, path)
	rapid.Check(t, func(t *rapid.T) {
		m := &logModel{log: log, path: path, others: [][]byte{nil}}
		log.GiveBack()
		m.written(t, "emptying it", log.Truncate(0))
		m.Restart(t)
		t.Repeat(map[string]func(*rapid.T){
			"commit": m.Commit, "spill": m.Spill, "spill more": m.Spill, "restart": m.Restart, "step back": m.StepBack,
			"write again": m.WriteAgain, "mend": m.Mend, "read": m.Read, "sync": m.Sync, "truncate": m.Truncate, "size": m.Size,
			"take": m.Take, "take again": m.Take, "give back": m.GiveBack, "elsewhere": m.Elsewhere, "": m.Check,
		})
	})
}

func TestWhatCouldNotBeWrittenToALogIsTriedAgain(t *testing.T) {
	if err := gormstore.ConfigureSQLite(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "octavo.db-wal")
	log := gormstore.OpenLog(t, path)
	d := disk{room: 1000}
	gormstore.OnWrite(t, d.allow)
	log.Take()
	frame := append(make([]byte, frameHeader), bytes.Repeat([]byte{1}, framePage)...)
	codes := []int32{log.Write(frame[:frameHeader], 0), log.Write(frame[frameHeader:], frameHeader)}
	for range 2 {
		codes = append(codes, log.Sync())
	}
	d.room = plenty
	codes = append(codes, log.Sync())
	if want := []int32{0, 0, sqlite3.SQLITE_FULL, sqlite3.SQLITE_FULL, 0}; !slices.Equal(codes, want) {
		t.Errorf("codes %v, want %v", codes, want)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, frame) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
