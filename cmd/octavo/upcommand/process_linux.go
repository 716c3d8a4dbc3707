package upcommand

import (
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// capNetBindService lets a process that is not root's listen at 80 and 443.
const capNetBindService = 10

// runAs makes a process that of another user.
func runAs(cmd *exec.Cmd, name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, AmbientCaps: []uintptr{capNetBindService},
	}
	return nil
}

// startServer starts a process that ends with this one, whatever ends this one. The kernel ends it with the
// thread that started it, so that thread stays.
func startServer(cmd *exec.Cmd) (*server, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	cmd.SysProcAttr.Setpgid = true // a Ctrl+C is for this process, which passes it on
	started, done := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return &server{cmd, done}, nil
}

// likeFile gives a file the owner and mode of another.
func likeFile(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		if err := f.Chown(int(stat.Uid), int(stat.Gid)); err != nil {
			return err
		}
	}
	return f.Chmod(info.Mode().Perm())
}

// ownerOf returns the user and the group of a file; -1 if there is none.
func ownerOf(path string) (uid, gid int) {
	info, err := os.Lstat(path)
	if err != nil {
		return -1, -1
	}
	stat := info.Sys().(*syscall.Stat_t)
	return int(stat.Uid), int(stat.Gid)
}
