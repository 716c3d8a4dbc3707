package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const figuresFile = "docs/performance/figures.json"

// measurement is what one run printed.
type measurement struct {
	Commands   []string           `json:"commands"`
	At         time.Time          `json:"at"`
	Go         string             `json:"go"`
	Processors int                `json:"processors"`
	Load       float64            `json:"load"` // of the machine, before the run
	Figures    map[string]float64 `json:"figures"`
}

// figures are the newest measurement of each run.
type figures map[string]measurement

func readFigures(path string) (figures, error) {
	all := figures{}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	return all, err
}

func (f figures) write(path string) error {
	b, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

// measure makes the chosen runs and stores each as soon as it ends.
func measure(ctx context.Context, runs []run, chosen *regexp.Regexp, all figures) error {
	all.forgetOthers(runs, chosen)
	for _, r := range runs {
		if !chosen.MatchString(r.name) {
			continue
		}
		fmt.Printf("== %s\n", r.name)
		m := begin()
		for _, s := range r.steps {
			if err := s.execute(ctx, m.Figures); err != nil {
				return fmt.Errorf("%s: %s: %w", r.name, s.command, err)
			}
			if s.shown {
				m.Commands = append(m.Commands, s.command)
			}
		}
		all[r.name] = m
		if err := all.write(figuresFile); err != nil {
			return err
		}
	}
	return nil
}

// begin returns the measurement of a run that begins.
func begin() measurement {
	return measurement{
		At: time.Now().UTC().Truncate(time.Second), Go: runtime.Version(), Processors: runtime.NumCPU(), Load: load(),
		Figures: map[string]float64{},
	}
}

// forgetOthers drops what an earlier run measured and this one does not, such as campuses of other sizes.
func (f figures) forgetOthers(runs []run, chosen *regexp.Regexp) {
	maps.DeleteFunc(f, func(name string, _ measurement) bool {
		return chosen.MatchString(name) && !slices.ContainsFunc(runs, func(r run) bool { return r.name == name })
	})
}

// execute runs a step in a shell, as people would, and adds the figures that it prints.
func (s step) execute(ctx context.Context, to map[string]float64) error {
	fmt.Printf("$ %s\n", s.command)
	var out strings.Builder
	cmd := exec.CommandContext(ctx, "sh", "-c", s.command)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &out), os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	if s.also != nil {
		s.also(cmd.ProcessState, to)
	}
	if s.parse == nil {
		return nil
	}
	found := s.parse(out.String())
	if len(found) == 0 {
		return errors.New("it printed no figures")
	}
	maps.Copy(to, found)
	return nil
}

// load is the average of the last minute, or 0 where it is unknown.
func load() float64 {
	b, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(b), " ")
	n, _ := strconv.ParseFloat(first, 64)
	return n
}
