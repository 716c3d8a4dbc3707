package servers

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
)

// VarnishServer is a Varnish with the module xkey. It listens from Start on.
type VarnishServer struct {
	URL, Purges string // the second is of the listener "purge"
	t           testing.TB
	path        string
	process     *process
}

// Varnish finds the program and reserves its addresses.
func Varnish(t testing.TB) *VarnishServer {
	t.Helper()
	const install = "apt-get install varnish varnish-modules"
	path := Need(t, "Varnish", install, "varnishd", "/usr/sbin/varnishd")
	if found, _ := filepath.Glob("/usr/lib/*/varnish/vmods/libvmod_xkey.so"); len(found) == 0 {
		Missing(t, "Varnish's module xkey", install)
	}
	return &VarnishServer{URL: "http://" + Address(t), Purges: "http://" + Address(t), t: t, path: path}
}

// Start runs it with a configuration, which it compiles, until Stop or the end of the test.
func (v *VarnishServer) Start(vcl string) {
	v.t.Helper()
	dir, address := Dir(v.t), strings.TrimPrefix(v.URL, "http://")
	file := filepath.Join(dir, "octavo.vcl")
	must.Do(v.t, os.WriteFile(file, []byte(vcl), 0o600))
	args := []string{"-F", "-n", filepath.Join(dir, "work"), "-a", address, "-a", "purge=" + strings.TrimPrefix(v.Purges, "http://"), "-f", file, "-s", "malloc,64m"}
	if os.Getuid() == 0 {
		args = append([]string{"-j", "none"}, args...) // another user could not enter the folder
	}
	v.process = &process{path: v.path, args: args, dir: dir}
	v.process.start(v.t)
	v.t.Cleanup(v.Stop)
	until(v.t, "varnish listens", func() error { // the compiler is slow
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err
	})
}

// Stop ends it with its child, which would still listen if its parent were killed.
func (v *VarnishServer) Stop() {
	if v.process == nil {
		return
	}
	_ = v.process.signal(os.Interrupt)
	select {
	case <-v.process.ended:
	case <-time.After(20 * time.Second):
		v.process.kill()
	}
	v.process = nil
}
