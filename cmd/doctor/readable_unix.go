//go:build !windows

package doctor

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// account is a user of this system.
type account struct {
	uid         int
	groups      []int
	name, group string
}

// serviceUser returns the owner of a folder if this process is root's and the folder is not.
func serviceUser(dir string) *account {
	info, err := os.Stat(dir)
	if err != nil || os.Geteuid() != 0 {
		return nil
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	a := &account{uid: int(owner.Uid), groups: []int{int(owner.Gid)}, name: strconv.Itoa(int(owner.Uid)), group: strconv.Itoa(int(owner.Gid))}
	if g, err := user.LookupGroupId(a.group); err == nil {
		a.group = g.Name
	}
	known, err := user.LookupId(a.name)
	if err != nil {
		return a
	}
	a.name = known.Username
	ids, _ := known.GroupIds() // without an error or not: those that are known
	for _, id := range ids {
		if n, err := strconv.Atoi(id); err == nil {
			a.groups = append(a.groups, n)
		}
	}
	return a
}

// blocked returns the folder on the way to a file, or the file itself, that the user may not
// read; "" if there is none, or the file does not exist.
func (a *account) blocked(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	for _, place := range a.way(path) {
		info, err := os.Stat(place)
		if err != nil {
			return ""
		}
		need := os.FileMode(4)
		if place != path {
			need = 1
		} else if info.IsDir() {
			need = 5
		}
		if !a.has(info, need) {
			return place
		}
	}
	return ""
}

// way returns the folders to a path, from the root on, and the path.
func (*account) way(path string) []string {
	all := []string{path}
	for dir := filepath.Dir(path); dir != all[len(all)-1]; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	slices.Reverse(all)
	return all
}

// has reports whether the user has the rights, of rwx as in a mode.
func (a *account) has(info os.FileInfo, rights os.FileMode) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode().Perm()
	switch {
	case !ok:
		return true
	case int(owner.Uid) == a.uid:
		mode >>= 6
	case slices.Contains(a.groups, int(owner.Gid)):
		mode >>= 3
	}
	return mode&rights == rights
}
