package gormstore

import (
	"encoding/binary"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite writes a frame of the log in two pieces, its header and its page.
const (
	frameHeader = 24
	// The platform cuts a longer write. It has room for 31 frames of 4 KiB, and no rest.
	mostGathered = 31 * (frameHeader + 4096)
)

// logFile is a write-ahead log that a connection has open. SQLite writes the frames of
// a transaction piece by piece; here they are gathered, and many are written at a time.
// Four rules make that as safe as to write each at once:
//
//   - All is written in the order in which it came. Whatever ends the program, the
//     file is as it was a moment earlier without gathering.
//   - The frame that commits is not held back, nor what came before it, whether a sync
//     follows or not. So what is held is of a transaction that has not ended, and
//     nobody reads that but its own connection, here.
//   - Only a connection with the lock of writers gathers, and what it holds when it
//     gives that back was rolled back and is never written: others may write there now.
//   - What could not be written stays held, and is tried again before anything else: an
//     error that SQLite does not act upon comes back.
type logFile struct {
	database *databaseFile

	held   []byte
	start  int64 // where in the file held begins
	ending bool  // the last that is held is the header of the frame that commits
}

// write holds frames, and writes at once what is none. It also writes a page whose
// header is written already, and the header of a frame that commits if it comes
// alone: SQLite mends the headers of a transaction that has written a page twice, after
// it has read them.
func (l *logFile) write(tls *libc.TLS, file, data uintptr, size int32, offset int64) int32 {
	if offset != l.start+int64(len(l.held)) || len(l.held)+int(size) > mostGathered {
		if code := l.flush(tls, file); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	piece := unsafe.Slice(at[byte](data), size) //nolint:gosec // as C passes it
	header := size == frameHeader
	commits := header && binary.BigEndian.Uint32(piece[4:]) != 0 // the pages of the database after it
	if len(l.held) == 0 && (!header || commits || !l.database.writing) {
		return writeThrough(tls, file, data, size, offset)
	}
	l.hold(piece, offset)
	if l.ending {
		return l.flush(tls, file)
	}
	l.ending = commits
	return sqlite3.SQLITE_OK
}

func (l *logFile) hold(piece []byte, offset int64) {
	if l.held == nil {
		l.held = make([]byte, 0, mostGathered)
	}
	if len(l.held) == 0 {
		l.start = offset
	}
	l.held = append(l.held, piece...)
}

func (l *logFile) flush(tls *libc.TLS, file uintptr) int32 {
	if len(l.held) == 0 {
		return sqlite3.SQLITE_OK
	}
	data := uintptr(unsafe.Pointer(unsafe.SliceData(l.held))) //nolint:gosec // of the heap, where nothing moves
	code := writeThrough(tls, file, data, int32(len(l.held)), l.start)
	if code == sqlite3.SQLITE_OK {
		l.drop()
	}
	return code
}

func (l *logFile) drop() { l.held, l.ending = l.held[:0], false }

// holds reports whether any of size bytes at offset is held.
func (l *logFile) holds(size int32, offset int64) bool {
	return offset < l.start+int64(len(l.held)) && l.start < offset+int64(size)
}

func writeThrough(tls *libc.TLS, file, data uintptr, size int32, offset int64) int32 {
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](openFileAt(file).platform.FxWrite)(tls, file, data, size, offset)
}
