package beside

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// isOurs reports whether a file belongs to root or this user, and nobody else may write to it.
func isOurs(info os.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && (owner.Uid == 0 || int(owner.Uid) == os.Geteuid()) && info.Mode()&0o022 == 0
}

// becomeOwner makes this process one of the owner of a folder, if it is root's and the folder is not.
func becomeOwner(dir string) error {
	info, err := os.Stat(dir) //nolint:gosec // the settings of this machine's service name it
	if err != nil || os.Geteuid() != 0 {
		return nil //nolint:nilerr // the command says that its data is missing
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	groups := []int{int(owner.Gid)}
	if known, err := user.LookupId(strconv.Itoa(int(owner.Uid))); err == nil {
		if gid, err := strconv.Atoi(known.Gid); err == nil {
			groups = append(groups, gid)
		}
	}
	if err := syscall.Setgroups(groups); err != nil {
		return err
	}
	if err := syscall.Setgid(groups[len(groups)-1]); err != nil {
		return err
	}
	return syscall.Setuid(int(owner.Uid))
}
