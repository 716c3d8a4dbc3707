package e2e_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
	"go.yaml.in/yaml/v3"
)

type composeFile struct {
	Services map[string]struct {
		Environment map[string]string
		Ports       []string
		ReadOnly    bool `yaml:"read_only"`
	}
}

var assigned = regexp.MustCompile(`\b([A-Z][A-Z0-9_]{2,})=`)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// settingsOf are the names that --help lists.
func settingsOf(t *testing.T) []string {
	t.Helper()
	help, code := e2e.Octavo(t, nil, "--help")
	if code != 0 {
		t.Fatalf("--help: %d", code)
	}
	var names []string
	for _, m := range regexp.MustCompile(`\$([A-Z][A-Z0-9_]+)`).FindAllStringSubmatch(help, -1) {
		names = append(names, m[1], m[1]+"_FILE")
	}
	return names
}

func TestWhatShipsNamesSettingsThatThereAre(t *testing.T) {
	known := settingsOf(t)
	var compose composeFile
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, service := range []string{"migrate", "octavo", "mailer"} {
		s, ok := compose.Services[service]
		if !ok || !s.ReadOnly || s.Environment["HOST"] != "0.0.0.0" {
			t.Errorf("service %s: %+v", service, s)
		}
		for name := range s.Environment {
			used = append(used, name)
		}
	}
	if ports := compose.Services["octavo"].Ports; !slices.Equal(ports, []string{"127.0.0.1:3000:3000"}) {
		t.Errorf("ports: %v", ports)
	}
	for _, line := range strings.Split(read(t, "Dockerfile")+read(t, "octavo.service"), "\n") {
		if strings.HasPrefix(line, "ENV ") || strings.HasPrefix(line, "Environment=") {
			line = strings.TrimPrefix(line, "Environment=")
			for _, m := range assigned.FindAllStringSubmatch(line, -1) {
				used = append(used, m[1])
			}
		}
	}
	for _, name := range used {
		if !slices.Contains(known, name) {
			t.Errorf("%s is no setting", name)
		}
	}
}

// TestTheProgramRunsAsItsImageRunsIt builds it as the Dockerfile does, and runs it
// as a nobody in a root that holds nothing but itself and its data.
func TestTheProgramRunsAsItsImageRunsIt(t *testing.T) {
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("only root may change the root")
	}
	root := t.TempDir()
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
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags", "nomsgpack,nethttpomithttp2", "-ldflags=-s -w", "-o", filepath.Join(root, "octavo"), "../../cmd/octavo")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
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
