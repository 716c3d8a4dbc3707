// Package child prepares the processes that tests start.
package child

import "syscall"

// EndWithUs makes a process end with the thread that starts it, however that ends.
func EndWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
