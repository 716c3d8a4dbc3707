// Testreport runs go test with -json, prints what people want to read of it, and exits with its code:
//
//	go run ./test/tools/testreport -tags cheaphash ./...
//
// It prints a line for each package and, as soon as a test fails, all that the test printed. With -v
// it prints the output of every test. At the end it says what ran.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	r := newReport(os.Stdout, slices.Contains(args, "-v"))
	cmd := exec.CommandContext(context.Background(), "go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = r
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		r.line(lines.Bytes())
	}
	err = errors.Join(lines.Err(), ignoreExit(cmd.Wait()))
	ended := cmd.ProcessState
	r.summary(ended.UserTime() + ended.SystemTime())
	return ended.ExitCode(), err
}

// ignoreExit returns nil if a command ran and failed, which its exit code tells.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}
