//go:build !linux

// Package child prepares the processes that tests start.
package child

import "syscall"

// KillWithParent does nothing here: only Linux can kill a process with its parent. After a test
// was killed, stop its processes by hand.
func KillWithParent() *syscall.SysProcAttr { return nil }
