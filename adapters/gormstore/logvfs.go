package gormstore

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// The driver's SQLite knows the system by the name unix, or another where it
// is another. Here is one more: its files are the platform's, but what is
// written to a log goes through a logFile.
const gatheringFiles = "octavo"

var (
	platformFiles *sqlite3.Tsqlite3_vfs
	ownFiles      sqlite3.Tsqlite3_vfs
	ownFilesName  = [len(gatheringFiles) + 1]byte([]byte(gatheringFiles + "\x00"))

	// SQLite has only the addresses of these, which the collector does not see.
	openFilesMu sync.Mutex
	openFiles   = map[uintptr]any{}
)

// openFile is behind what the platform notes about a file, in memory of SQLite.
type openFile struct {
	methods  sqlite3.Tsqlite3_io_methods // SQLite uses these
	platform sqlite3.Tsqlite3_io_methods
	owner    uintptr // of what openFiles has for it
}

func openFileAt(file uintptr) *openFile { return at[openFile](file + uintptr(platformFiles.FszOsFile)) }

// databaseFile is the file of a database that a connection has open. SQLite asks it for
// the locks of the log.
type databaseFile struct {
	log     *logFile // nil unless it is open
	writing bool     // this connection has the lock of writers
}

// registerGatheringFiles does not make them the default: who opens a database asks
// for them.
func registerGatheringFiles(tls *libc.TLS) int32 {
	platform := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if platform == 0 {
		return sqlite3.SQLITE_ERROR
	}
	platformFiles = at[sqlite3.Tsqlite3_vfs](platform)
	ownFiles = *platformFiles
	ownFiles.FpNext = 0
	ownFiles.FzName = uintptr(unsafe.Pointer(&ownFilesName)) //nolint:gosec // a package's variable, which never moves
	ownFiles.FszOsFile += int32(unsafe.Sizeof(openFile{}))
	ownFiles.FxOpen = address(openPlatformFile)
	return sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&ownFiles)), 0) //nolint:gosec // as above
}

func openPlatformFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](platformFiles.FxOpen)
	code := open(tls, vfs, name, file, flags, outFlags)
	if code != sqlite3.SQLITE_OK {
		return code
	}
	switch {
	case flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0:
		wrapDatabase(file)
	case flags&sqlite3.SQLITE_OPEN_WAL != 0:
		wrapLog(tls, file, sqlite3.Xsqlite3_database_file_object(tls, name))
	}
	return sqlite3.SQLITE_OK
}

func wrapDatabase(file uintptr) {
	d := &databaseFile{}
	m := replaceMethods(file, d, uintptr(unsafe.Pointer(d))) //nolint:gosec // kept alive by openFiles
	m.FxClose = address(closeFile)
	if m.FiVersion > 1 {
		m.FxShmLock = address(lockLog)
	}
}

// wrapLog leaves a log alone on a disk that may harm what is beside a write:
// SQLite then cuts frames into pieces, at the ends of sectors.
func wrapLog(tls *libc.TLS, file, database uintptr) {
	d := openFileAt(database)
	characteristics := function[func(*libc.TLS, uintptr) int32](d.platform.FxDeviceCharacteristics)
	if characteristics(tls, database)&sqlite3.SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0 {
		at[databaseFile](d.owner).gather(file)
	}
}

// gather has what is written to the log of the database go through a logFile.
func (d *databaseFile) gather(file uintptr) {
	d.log = &logFile{database: d}
	m := replaceMethods(file, d.log, uintptr(unsafe.Pointer(d.log))) //nolint:gosec // kept alive by openFiles
	m.FxClose = address(closeLog)
	m.FxRead = address(readLog)
	m.FxWrite = address(writeLog)
	m.FxTruncate = address(truncateLog)
	m.FxSync = address(syncLog)
	m.FxFileSize = address(sizeOfLog)
}

// replaceMethods gives those that a file has from now on until it is closed, still all the platform's.
func replaceMethods(file uintptr, owner any, address uintptr) *sqlite3.Tsqlite3_io_methods {
	openFilesMu.Lock()
	openFiles[file] = owner
	openFilesMu.Unlock()
	f := openFileAt(file)
	f.owner = address
	f.platform = *at[sqlite3.Tsqlite3_io_methods](at[sqlite3.Tsqlite3_file](file).FpMethods)
	f.methods = f.platform
	at[sqlite3.Tsqlite3_file](file).FpMethods = uintptr(unsafe.Pointer(&f.methods)) //nolint:gosec // in memory of SQLite
	return &f.methods
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	code := function[func(*libc.TLS, uintptr) int32](openFileAt(file).platform.FxClose)(tls, file)
	openFilesMu.Lock()
	defer openFilesMu.Unlock()
	delete(openFiles, file)
	return code
}

// lockLog notes when a connection takes the lock of writers and when it gives that back,
// after a commit or after all was rolled back. In SQLite's exclusive mode it does neither.
func lockLog(tls *libc.TLS, file uintptr, first, count, flags int32) int32 {
	const take, giveBack = sqlite3.SQLITE_SHM_LOCK | sqlite3.SQLITE_SHM_EXCLUSIVE, sqlite3.SQLITE_SHM_UNLOCK | sqlite3.SQLITE_SHM_EXCLUSIVE
	f := openFileAt(file)
	d := at[databaseFile](f.owner)
	if first == sqlite3.WAL_WRITE_LOCK && flags == giveBack {
		d.stopWriting()
	}
	code := function[func(*libc.TLS, uintptr, int32, int32, int32) int32](f.platform.FxShmLock)(tls, file, first, count, flags)
	if first == sqlite3.WAL_WRITE_LOCK && flags == take {
		d.writing = code == sqlite3.SQLITE_OK
	}
	return code
}

func (d *databaseFile) stopWriting() {
	d.writing = false
	if d.log != nil {
		d.log.drop()
	}
}

func logAt(file uintptr) *logFile { return at[logFile](openFileAt(file).owner) }

func closeLog(tls *libc.TLS, file uintptr) int32 {
	logAt(file).database.log = nil
	return closeFile(tls, file)
}

func writeLog(tls *libc.TLS, file, data uintptr, size int32, offset int64) int32 {
	return logAt(file).write(tls, file, data, size, offset)
}

func readLog(tls *libc.TLS, file, data uintptr, size int32, offset int64) int32 {
	l := logAt(file)
	if l.holds(size, offset) {
		if code := l.flush(tls, file); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](openFileAt(file).platform.FxRead)(tls, file, data, size, offset)
}

func truncateLog(tls *libc.TLS, file uintptr, size int64) int32 {
	if code := logAt(file).flush(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return function[func(*libc.TLS, uintptr, int64) int32](openFileAt(file).platform.FxTruncate)(tls, file, size)
}

func syncLog(tls *libc.TLS, file uintptr, flags int32) int32 {
	if code := logAt(file).flush(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return function[func(*libc.TLS, uintptr, int32) int32](openFileAt(file).platform.FxSync)(tls, file, flags)
}

func sizeOfLog(tls *libc.TLS, file, size uintptr) int32 {
	if code := logAt(file).flush(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return function[func(*libc.TLS, uintptr, uintptr) int32](openFileAt(file).platform.FxFileSize)(tls, file, size)
}
