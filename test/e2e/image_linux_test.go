package e2e_test

import (
	"bytes"
	"debug/elf"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// The test builds the image of the Dockerfile, unpacks it and runs its entry point as a
// container engine does: as its user, with its environment, in a root with nothing else.
func TestTheImageServesAsItsUserInARootOfItsOwn(t *testing.T) {
	deep.Only(t, "builds an image")
	t.Parallel()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("only root may change the root")
	}
	dir := servers.Dir(t)
	builtImage(t, dir)
	config := imageConfig(t, dir)
	root := unpacked(t, filepath.Join(dir, "oci"), filepath.Join(dir, "root"))
	checkStatic(t, filepath.Join(root, "octavo"))
	if certificates, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")); !bytes.Contains(certificates, []byte("BEGIN CERTIFICATE")) {
		t.Errorf("the image has no certificates: %v", err)
	}
	if config.User != "65532:65532" || !slices.Contains(config.Env, "HOST=0.0.0.0") || config.Volumes["/data"] == nil {
		t.Errorf("config: %+v", config)
	}

	port := strconv.Itoa(servers.Port(t))
	inside := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Path, cmd.Err, cmd.Dir = args[0], nil, "/"
		cmd.Env = append(slices.Clone(config.Env), "HOST=127.0.0.1", "PORT="+port, "TZ=Asia/Tokyo")
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}, Pdeathsig: syscall.SIGKILL}
		return cmd
	}
	serve := inside(append(config.Entrypoint, config.Cmd...)...)
	var said bytes.Buffer
	serve.Stdout, serve.Stderr = &said, &said
	ended := must.Get(child.Start(serve))(t)
	ready := becomesReady("http://127.0.0.1:" + port + "/readyz")
	if err := inside(config.Healthcheck.Test[1:]...).Run(); err != nil {
		t.Errorf("the health check: %v", err)
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ended
	if !serve.ProcessState.Success() || !ready {
		t.Fatalf("ready: %t, after SIGTERM: %v\n%s", ready, serve.ProcessState, said.String())
	}
	if first, _, _ := strings.Cut(said.String(), "\n"); !strings.Contains(first, "in development") || !strings.Contains(first, "OCTAVO_ENV=production") {
		t.Errorf("the first line does not say that this is development: %s", first)
	}
	if !strings.Contains(said.String(), "+09:00") {
		t.Errorf("the image knows no time zones:\n%s", said.String())
	}
}

// builtImage builds an image as `go tool task image` does, with the program of these tests.
func builtImage(t *testing.T, dir string) {
	t.Helper()
	servers.Need(t, "buildah", "apt-get install buildah", "buildah")
	program := filepath.Join(dir, "octavo")
	e2e.Image(t, program)
	cmd := exec.CommandContext(t.Context(), "sh", "test/tools/image.sh", dir)
	cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "PROGRAM="+program)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("image.sh: %v\n%s", err, out)
	}
}

// becomesReady waits for 200 from an address, for a minute at most.
func becomesReady(url string) bool {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		if resp, err := http.Get(url); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
	}
	return false
}

// checkStatic checks that the program is statically linked.
func checkStatic(t *testing.T, path string) {
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

// imageConfig returns how an engine starts the image. It reads the archive, because an OCI
// layout has no health check.
func imageConfig(t *testing.T, dir string) (config engineConfig) {
	t.Helper()
	archive := filepath.Join(dir, "octavo_"+runtime.GOARCH+".tar")
	var manifest []struct{ Config string }
	unmarshal(t, inArchive(t, archive, "manifest.json"), &manifest)
	var image struct{ Config engineConfig }
	unmarshal(t, inArchive(t, archive, manifest[0].Config), &image)
	if c := image.Config; len(c.Entrypoint) == 0 || len(c.Healthcheck.Test) < 2 || c.Healthcheck.Test[0] != "CMD" {
		t.Fatalf("config: %+v", c)
	}
	return image.Config
}
