package archive

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// largestExact is the largest integer that every reader of JSON reads as it is.
const largestExact = 1<<53 - 1

// appendRow appends a row as a line: an object whose names are the columns in their order. A value
// is nil, int64, string or []byte.
func appendRow(line []byte, columns []Column, values []any) []byte {
	for i, c := range columns {
		line = append(line, "{,"[min(i, 1)], '"')
		line = append(append(line, c.Name...), '"', ':')
		line = appendValue(line, values[i])
	}
	return append(line, '}', '\n')
}

func appendValue(line []byte, value any) []byte {
	switch v := value.(type) {
	case int64:
		if -largestExact <= v && v <= largestExact {
			return strconv.AppendInt(line, v, 10)
		}
		return append(strconv.AppendInt(append(line, '"'), v, 10), '"')
	case string:
		text, _ := json.Marshal(storable(v)) // strings always marshal
		return append(line, text...)
	case []byte:
		return append(base64.StdEncoding.AppendEncode(append(line, '"'), v), '"')
	}
	return append(line, "null"...)
}

// storable replaces what Postgres cannot store in a text. Without it, JSON would have another form of the same text after
// an import.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// parseRow parses what appendRow has written.
func parseRow(line []byte, columns []Column) ([]any, error) {
	fields := make(map[string]json.RawMessage, len(columns))
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	if len(fields) != len(columns) {
		return nil, fmt.Errorf("%d values for %d columns", len(fields), len(columns))
	}
	values := make([]any, len(columns))
	for i, c := range columns {
		field, there := fields[c.Name]
		if !there {
			return nil, fmt.Errorf("no value of %s", c.Name)
		}
		var err error
		if values[i], err = parseValue(field, c.Type); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return values, nil
}

func parseValue(field json.RawMessage, t Type) (any, error) {
	if bytes.Equal(field, []byte("null")) {
		return nil, nil
	}
	if t == Integer {
		return strconv.ParseInt(string(bytes.Trim(field, `"`)), 10, 64)
	}
	var text string
	if err := json.Unmarshal(field, &text); err != nil || t == Text {
		return text, err
	}
	return base64.StdEncoding.DecodeString(text)
}

// scanner receives rows of a table from the database.
type scanner struct {
	targets []any
	columns []Column
}

func newScanner(columns []Column) scanner {
	s := scanner{columns: columns}
	for _, c := range columns {
		switch c.Type {
		case Integer:
			s.targets = append(s.targets, new(sql.NullInt64))
		case Text:
			s.targets = append(s.targets, new(sql.NullString))
		default:
			s.targets = append(s.targets, new([]byte))
		}
	}
	return s
}

// scan reads the current row into values, which are as those of appendRow.
func (s scanner) scan(rows *sql.Rows, values []any) error {
	if err := rows.Scan(s.targets...); err != nil {
		return err
	}
	for i, target := range s.targets {
		values[i] = nil
		switch v := target.(type) {
		case *sql.NullInt64:
			if v.Valid {
				values[i] = v.Int64
			}
		case *sql.NullString:
			if v.Valid {
				values[i] = v.String
			}
		case *[]byte:
			if *v != nil {
				values[i] = *v
			}
		}
	}
	return nil
}
