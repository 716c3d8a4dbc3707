//go:build !windows

package servers

import "syscall"

const stopSignal, continueSignal = syscall.SIGSTOP, syscall.SIGCONT
