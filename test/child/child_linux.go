// Package child prepares the processes that tests start.
package child

import "syscall"

// KillWithParent makes the kernel kill a process when the thread that started it ends.
// Start does what else that needs.
func KillWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
