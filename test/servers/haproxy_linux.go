package servers

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// HAProxy starts a HAProxy with the text of its settings, which listens at an address.
func HAProxy(t testing.TB, address, settings string) {
	t.Helper()
	path := Need(t, "haproxy", "apt-get install haproxy", "haproxy", "/usr/sbin/haproxy")
	file := filepath.Join(Dir(t), "haproxy.cfg")
	must.Do(t, os.WriteFile(file, []byte(settings), 0o600))
	p := &process{path: path, args: []string{"-db", "-q", "-f", file}, dir: filepath.Dir(file)}
	p.start(t)
	t.Cleanup(p.kill)
	until(t, "haproxy", func() error {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return c.Close()
	})
}
