// Performance measures what docs/performance.md says and writes its tables and charts. From the root
// folder:
//
//	go run ./test/tools/performance run [-quick] [-only REGEXP]    # measures, then draws
//	go run ./test/tools/performance draw                           # draws what was measured
//
// The figures are stored in docs/performance/figures.json with the command that printed them, the date and
// the load of the machine, so that no figure is typed. suite.go says what is measured and tables.go
// what is shown. -quick uses small data, to try the tool; its figures say little.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := do(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

func do(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("performance", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false, "use small data")
	only := flags.String("only", "", "which runs, as a regular expression")
	if len(args) == 0 || args[0] != "run" && args[0] != "draw" {
		return fmt.Errorf("want run or draw")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	all, err := readFigures(figuresFile)
	if err != nil {
		return err
	}
	if args[0] == "run" {
		if err := measure(ctx, suite(o), chosen, all); err != nil {
			return err
		}
	}
	return draw(".", all)
}
