package main

import (
	"errors"
	"os"
	"os/user"
	"strconv"

	"github.com/octavo-books/octavo/cmd/config"
)

// The modes of a folder and its files that a group may read: what is created in the folder later
// belongs to the group too.
const (
	sharedFolder = os.ModeSetgid | 0o750
	sharedFile   = 0o640
)

// shareWith returns what lets a group read a folder and files in it; without a group, nothing.
func shareWith(group string) (func(dir string, files []newFile) error, error) {
	if group == "" {
		return func(string, []newFile) error { return nil }, nil
	}
	found, err := user.LookupGroup(group)
	if err != nil {
		return nil, config.Errorf("--group", "%v", err)
	}
	id, err := strconv.Atoi(found.Gid)
	if err != nil {
		return nil, config.Errorf("--group", "this system has no groups that files belong to")
	}
	return func(dir string, files []newFile) error {
		err := shareFile(dir, id, sharedFolder)
		for _, f := range files {
			err = errors.Join(err, shareFile(f.path, id, sharedFile))
		}
		return err
	}, nil
}

func shareFile(path string, group int, mode os.FileMode) error {
	if err := os.Lchown(path, -1, group); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
