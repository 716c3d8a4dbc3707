package servers

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// Port reserves a port until the test ends.
func Port(t testing.TB) int {
	t.Helper()
	port, release := must.Get2(Reserve())(t)
	t.Cleanup(release)
	return port
}

// Address is a Port of the loopback with its host.
func Address(t testing.TB) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(Port(t)))
}

// Reserve returns a free port of the loopback. No other test gets it until it is released or
// this process ends. It is below the range of ephemeral ports: otherwise a client of a server
// could occupy the server's port while the server is down.
func Reserve() (port int, release func(), err error) {
	for range 1000 {
		port = 10_000 + rand.IntN(20_000)
		if release, err = lock(port); err == nil {
			return port, release, nil
		}
	}
	return 0, nil, errors.Join(errors.New("no port of the loopback is free"), err)
}

// lock locks one byte of a file that all tests of the machine share. The lock belongs to the
// open file, so that it also excludes tests of this process.
func lock(port int) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "octavo-test-ports"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	release = func() { _ = f.Close() }
	if err = lockByte(f, port); err == nil {
		err = free(port)
	}
	if err != nil {
		release()
	}
	return release, err
}

func free(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}
