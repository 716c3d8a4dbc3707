package child

import (
	"os/exec"
	"runtime"
)

// Start starts a process from a thread that lives as long as the process, with KillWithParent
// unless it has attributes of its own. The channel is closed when the process has ended and
// cmd.ProcessState tells how.
//
// A process that is started from any other thread may be killed at any time: the kernel kills it
// with the thread, and a thread ends with a goroutine that was locked to it.
func Start(cmd *exec.Cmd) (ended <-chan struct{}, err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = KillWithParent()
	}
	done, started := make(chan struct{}), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	return done, <-started
}
