package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// postgres watches the server of a campus, which runs on this machine. Its methods do nothing
// without one.
type postgres struct {
	conn       *pgx.Conn
	postmaster int
	ours       int
	statements bool // pg_stat_statements is installed
}

func openPostgres(url string) (*postgres, error) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	p := &postgres{conn: conn, ours: int(conn.PgConn().PID())}
	fields := stat(p.ours)
	if fields == nil {
		return nil, errors.Join(errors.New("the server is not on this machine, so its processor time is unknown"), conn.Close(ctx))
	}
	p.postmaster, _ = strconv.Atoi(fields[1])
	_, err = conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
	if err == nil {
		_, err = conn.Exec(ctx, "SELECT count(*) FROM pg_stat_statements")
	}
	var refused *pgconn.PgError
	if err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	p.statements = err == nil
	return p, nil
}

func (p *postgres) close() {
	if p != nil {
		_ = p.conn.Close(context.Background())
	}
}

// stat returns the fields of /proc/PID/stat from the third on, nil if there is no such process.
func stat(pid int) []string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}

// cpu is the processor time that the server has used for others than us, with that of processes
// that have ended.
func (p *postgres) cpu() (sum time.Duration) {
	if p == nil {
		return 0
	}
	found, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range found {
		pid, _ := strconv.Atoi(filepath.Base(path))
		fields := stat(pid)
		if fields == nil || pid == p.ours || pid != p.postmaster && fields[1] != strconv.Itoa(p.postmaster) {
			continue
		}
		if pid == p.postmaster {
			ended, _ := strconv.Atoi(fields[13])
			endedSystem, _ := strconv.Atoi(fields[14])
			sum += time.Duration(ended+endedSystem) * tick
			continue
		}
		text, _ := os.ReadFile(filepath.Join(path, "schedstat")) // in nanoseconds
		ran, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ran, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

func (p *postgres) heading() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf(" %10s %10s", "PG CPU µs", "PG ms")
}

// statement is what pg_stat_statements knows of one.
type statement struct {
	text  string
	calls int64
	took  float64 // milliseconds
}

func (p *postgres) snapshot() (map[int64]statement, error) {
	if p == nil || !p.statements {
		return nil, nil
	}
	rows, err := p.conn.Query(context.Background(), "SELECT queryid, query, calls, total_exec_time FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND queryid IS NOT NULL AND toplevel")
	if err != nil {
		return nil, err
	}
	all := map[int64]statement{}
	var id int64
	var s statement
	_, err = pgx.ForEachRow(rows, []any{&id, &s.text, &s.calls, &s.took}, func() error {
		sum := all[id]
		all[id] = statement{s.text, sum.calls + s.calls, sum.took + s.took}
		return nil
	})
	return all, err
}

// since describes what n requests have cost the server since a snapshot, with the statement that
// took longest if it was slow.
func (p *postgres) since(before map[int64]statement, cpu time.Duration, n int, slow float64) (string, error) {
	if p == nil {
		return "", nil
	}
	line := fmt.Sprintf(" %10.0f", float64(cpu.Microseconds())/float64(n))
	now, err := p.snapshot()
	if err != nil || !p.statements {
		return line, err
	}
	sum, worst, mean := 0.0, "", slow
	for id, s := range now {
		took, calls := s.took-before[id].took, s.calls-before[id].calls
		if calls == 0 || strings.Contains(s.text, "pg_stat_statements") {
			continue
		}
		sum += took
		if took/float64(calls) > mean {
			worst, mean = s.text, took/float64(calls)
		}
	}
	line += fmt.Sprintf(" %10.2f", sum/float64(n))
	if worst != "" {
		line += fmt.Sprintf("\n    %.1f ms: %.300s", mean, strings.Join(strings.Fields(worst), " "))
	}
	return line, nil
}

const selectSizes = `SELECT t.relname, '', pg_table_size(t.oid), t.reltuples::bigint FROM pg_class t WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace
	UNION ALL SELECT t.relname, i.relname, pg_relation_size(i.oid), i.reltuples::bigint FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
		WHERE t.relnamespace = 'public'::regnamespace
	ORDER BY 1, 2`

// printSizes prints the sizes of tables and indexes, without those of less than a megabyte.
func (p *postgres) printSizes() error {
	if p == nil {
		return nil
	}
	rows, err := p.conn.Query(context.Background(), selectSizes)
	if err != nil {
		return err
	}
	fmt.Printf("\n%-24s %-34s %10s %12s %10s\n", "table", "index", "MB", "rows", "bytes/row")
	var table, index string
	var size, count int64
	_, err = pgx.ForEachRow(rows, []any{&table, &index, &size, &count}, func() error {
		if size >= 1<<20 {
			fmt.Printf("%-24s %-34s %10.1f %12d %10.0f\n", table, index, float64(size)/(1<<20), count, float64(size)/float64(max(1, count)))
		}
		return nil
	})
	return err
}
