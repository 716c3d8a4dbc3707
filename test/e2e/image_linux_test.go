package e2e_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// TestTheProgramRunsAsItsImageRunsIt runs what the Dockerfile builds, as a nobody in a
// root that holds nothing but itself and its data.
func TestTheProgramRunsAsItsImageRunsIt(t *testing.T) {
	t.Parallel()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("only root may change the root")
	}
	root := servers.Dir(t)
	for at := root; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(root, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	e2e.Image(t, filepath.Join(root, "octavo"))
	alone(t, filepath.Join(root, "octavo"))

	port := strconv.Itoa(servers.Port(t))
	inside := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "/octavo", args...)
		cmd.Path, cmd.Dir = "/octavo", "/"
		cmd.Env = []string{"HOST=127.0.0.1", "PORT=" + port, "DATA_DIR=/data"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}, Pdeathsig: syscall.SIGKILL}
		return cmd
	}
	serve := inside("serve")
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	healthy := false
	for deadline := time.Now().Add(30 * time.Second); !healthy && time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		healthy = inside("doctor", "--running").Run() == nil
	}
	if !healthy {
		t.Error("the health check of the image never passed")
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
}

// alone checks that the file needs no library and no loader.
func alone(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Error("the program is not static")
		}
	}
}
