//go:build !linux

package upcommand

import (
	"errors"
	"os"
	"os/exec"
)

// runAs is for Linux alone.
func runAs(*exec.Cmd, string) error {
	return errors.New("run this as another user than root: only on Linux does it change the user of the program")
}

// startServer starts the program.
func startServer(cmd *exec.Cmd) (*server, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait()
	}()
	return &server{cmd, done}, nil
}

// likeFile gives a file the mode of another.
func likeFile(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return f.Chmod(info.Mode().Perm())
}

// ownerOf is for Linux alone.
func ownerOf(string) (uid, gid int) { return -1, -1 }
