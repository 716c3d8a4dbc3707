package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/test/child"
)

// server is a process of the program on a copy of the data.
type server struct {
	address string
	folder  string
	process *os.Process

	postgres *postgres // nil on SQLite

	profiles, profiler string // folder for profiles, empty: none; address of the profiler
}

// start copies the data, unless they are in Postgres, starts the program and waits until it is
// ready.
func start(o options) (*server, error) {
	folder, err := os.MkdirTemp("", "octavo-load-")
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder, profiles: o.profiles}
	if o.database != "" {
		s.postgres, err = openPostgres(o.database)
	} else {
		err = os.CopyFS(filepath.Join(s.folder, "data"), os.DirFS(o.data))
	}
	if err == nil {
		err = s.launch(o)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) launch(o options) error {
	var err error
	if s.address, err = freeAddress(); err != nil {
		return err
	}
	if s.profiler, err = freeAddress(); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("taskset", "-c", serverCore, o.program, "serve", "market")
	if o.database != "" {
		cmd = exec.Command(o.program, "serve", "auth", "market")
	}
	cmd.Env = []string{"LIMIT_POSTS=0", "LIMIT_IMPORT_LINES=0", "LIMIT_OPEN_PURCHASES=10000", "DATA_DIR=" + filepath.Join(s.folder, "data"), "PORT=" + s.address[strings.LastIndexByte(s.address, ':')+1:]}
	if o.database != "" {
		cmd.Env = append(cmd.Env, "DATABASE_URL="+o.database)
	}
	if s.profiles != "" {
		cmd.Env = append(cmd.Env, "PPROF_ADDR="+s.profiler)
	}
	cmd.Stdout, cmd.Stderr = log, log
	ended, err := child.Start(cmd)
	if err != nil {
		return err
	}
	s.process = cmd.Process
	return s.awaitReady(cmd, ended)
}

func (s *server) awaitReady(cmd *exec.Cmd, ended <-chan struct{}) error {
	deadline := time.After(2 * time.Minute) // an old schema may have to be migrated
	for {
		resp, err := http.Get("http://" + s.address + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ended:
			s.process = nil
			output, _ := os.ReadFile(filepath.Join(s.folder, "log"))
			return fmt.Errorf("the program ended: %v\n%s", cmd.ProcessState, output)
		case <-deadline:
			return errors.New("the program is not ready after two minutes")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *server) stop() {
	if s.process != nil {
		_ = s.process.Kill()
	}
	s.postgres.close()
	_ = os.RemoveAll(s.folder)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// profile records a CPU profile of that length, if there is a folder for it. The channel gets
// the result.
func (s *server) profile(name string, long time.Duration) <-chan error {
	done := make(chan error, 1)
	if s.profiles == "" {
		done <- nil
		return done
	}
	go func() {
		url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", s.profiler, max(1, int(long.Seconds())))
		done <- download(url, filepath.Join(s.profiles, strings.NewReplacer(" ", "-", ",", "", "/", "-").Replace(name)+".pprof"))
	}()
	return done
}

func download(url, path string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(file, resp.Body)
	return err
}

// pin binds a process with all its present and future threads to one processor.
func pin(process int, core string) error {
	out, err := exec.Command("taskset", "-acp", core, strconv.Itoa(process)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	return nil
}

// tick is the unit of time in /proc on Linux.
const tick = 10 * time.Millisecond

// cpu is the processor time that the server has used.
func (s *server) cpu() time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Pid))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// resetPeak resets the peak memory.
func (s *server) resetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.process.Pid), []byte("5"), 0)
}

// peak is the server's peak resident memory in bytes.
func (s *server) peak() int {
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", s.process.Pid))
	if err != nil {
		return 0
	}
	defer status.Close()
	for lines := bufio.NewReader(status); ; {
		line, err := lines.ReadString('\n')
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(kb), " kB"))
			return n << 10
		}
		if errors.Is(err, io.EOF) {
			return 0
		}
	}
}
