package upcommand

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
)

// makeFolders makes those of data and backups for the user of the service alone. If they, or the settings, come from
// another machine, their files belong to whoever has copied them, and become the service's.
func (p *plan) makeFolders() error {
	for _, dir := range []string{p.data, p.backups} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if !p.root {
		return nil
	}
	owner, err := user.Lookup(serviceUser)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(owner.Uid)
	gid, err2 := strconv.Atoi(owner.Gid)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	return errors.Join(takeIn(p.data, uid, gid), takeIn(p.backups, uid, gid), shareSettings(p.dir, gid))
}

// takeIn gives a folder, and everything in it, to a user. It leaves one alone that is the user's already: what is in
// there is not for root to change.
func takeIn(dir string, uid, gid int) error {
	if owner, _ := ownerOf(dir); owner == uid {
		return nil
	}
	root, err := os.OpenRoot(dir) // nothing beyond it changes hands, whatever its owner puts into it meanwhile
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	err = fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		return root.Lchown(path, uid, gid)
	})
	if err != nil {
		return err
	}
	return root.Lchown(".", uid, gid) // last, so that another run continues what was interrupted
}

// shareSettings lets the group of the service read a folder of settings that another one had.
func shareSettings(dir string, gid int) error {
	if _, group := ownerOf(dir); !exists(dir) || group == gid {
		return nil
	}
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if f.Type().IsRegular() {
			err = errors.Join(err, share(filepath.Join(dir, f.Name()), gid, 0o640))
		}
	}
	return errors.Join(err, share(dir, gid, os.ModeSetgid|0o750))
}

func share(path string, gid int, mode fs.FileMode) error {
	return errors.Join(os.Lchown(path, -1, gid), os.Chmod(path, mode))
}
