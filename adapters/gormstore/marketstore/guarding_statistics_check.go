package marketstore

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/buying"
)

// These compare the counters of the dashboards with a count of all rows.
const (
	wrongCounters = `SELECT university, kind, key, CAST(sum(n) AS BIGINT) AS n FROM
	(SELECT '' AS university, kind, key, -n AS n FROM recount UNION ALL SELECT '', kind, key, n FROM tallies
		UNION ALL SELECT university, kind, key, -n FROM campus_recount UNION ALL SELECT university, kind, key, n FROM campus_tallies) AS both_sides
	GROUP BY university, kind, key HAVING sum(n) <> 0 ORDER BY university, kind, key LIMIT ?`
	wrongHours = `SELECT university, kind, key, sum(n) AS n FROM
	(SELECT university, kind, key, n FROM hour_tallies
		UNION ALL SELECT '', kind, key / 4, -n FROM tallies WHERE kind BETWEEN 2 AND 6 AND key >= 0
		UNION ALL SELECT university, kind, key / 4, -n FROM campus_tallies WHERE kind BETWEEN 2 AND 6 AND key >= 0) AS both_sides
	GROUP BY university, kind, key HAVING sum(n) <> 0 ORDER BY university, kind, key LIMIT ?`
	wrongCourseCounters = `SELECT university, course_key AS course, CAST(sum(n) AS BIGINT) AS n FROM
	(SELECT '' AS university, course_key, -count(*) AS n FROM orders WHERE status > 0 GROUP BY course_key UNION ALL SELECT '', course_key, sold FROM course_sales
		UNION ALL SELECT university_key, course_key, -count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY university_key, course_key
		UNION ALL SELECT university, course_key, sold FROM campus_course_sales) AS both_sides
	GROUP BY university, course_key HAVING sum(n) <> 0 ORDER BY university, course_key LIMIT ?`
)

// wrongCounter is a counter that is n too high. Those of the whole market have no university.
type wrongCounter struct {
	University string
	Kind, Key  int64
	Course     string
	N          int64
}

func (c wrongCounter) dashboard() string {
	if c.University == "" {
		return "the dashboard"
	}
	return "the dashboard of " + c.University
}

// counterErrors lists the counters of the dashboards that differ from a count of all rows.
func (s *Store) counterErrors(ctx context.Context) (out []buying.Inconsistency, err error) {
	counters, err := table.Of[wrongCounter](s.db.Read).Raw(wrongCounters, maxInconsistencies).Find(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range counters {
		out = append(out, buying.Inconsistency{What: fmt.Sprintf("%s counts %d too many (tally %d, %d)", c.dashboard(), c.N, c.Kind, c.Key)})
	}
	hours, err := s.wrongHours(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range hours {
		out = append(out, buying.Inconsistency{What: fmt.Sprintf("%s counts %d too many (tally %d, hour %d)", c.dashboard(), c.N, c.Kind, c.Key)})
	}
	courses, err := table.Of[wrongCounter](s.db.Read).Raw(wrongCourseCounters, maxInconsistencies).Find(ctx)
	for _, c := range courses {
		out = append(out, buying.Inconsistency{What: fmt.Sprintf("%s counts %d sales of the course %s too many", c.dashboard(), c.N, c.Course)})
	}
	return out, err
}

// wrongHours lists the counters of whole hours, which SQLite has, that differ from those of shorter
// periods.
func (s *Store) wrongHours(ctx context.Context) ([]wrongCounter, error) {
	if s.read.isPostgres() {
		return nil, nil
	}
	return table.Of[wrongCounter](s.db.Read).Raw(wrongHours, maxInconsistencies).Find(ctx)
}
