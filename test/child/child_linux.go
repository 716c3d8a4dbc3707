// Package child is about the programs that tests start.
package child

import "syscall"

// EndWithUs lets a program end with the thread that starts it, however that ends.
func EndWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
