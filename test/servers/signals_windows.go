package servers

import "syscall"

// Windows cannot stop a process: sending these fails the test.
const stopSignal, continueSignal = syscall.Signal(19), syscall.Signal(18)
