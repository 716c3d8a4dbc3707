package sheet

import "strings"

// scanner splits a text into rows.
type scanner struct {
	text      string // with \n for all line ends
	at, line  int
	separator byte
}

// next returns the next row. If a quote is not closed, the row is the line that it is on.
func (s *scanner) next() (Row, bool) {
	if s.at >= len(s.text) {
		return Row{}, false
	}
	row := Row{Line: s.line}
	start := s.at
	for {
		cell, more, ok := s.cell()
		if !ok {
			s.at = endOfLine(s.text, start)
			s.line = row.Line + 1
			return Row{Line: row.Line, Broken: true, Text: lineOf(s.text[start:s.at])}, true
		}
		if len(row.Cells) <= MaxColumns || len(row.Cells) == MaxColumns+1 && row.Cells[MaxColumns] == "" {
			row.Cells = append(row.Cells[:min(len(row.Cells), MaxColumns)], cell)
		}
		if !more {
			return row, true
		}
	}
}

// lineOf returns a line without its end, cut to the length of a cell.
func lineOf(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return strings.ToValidUTF8(text[:min(len(text), maxCell)], "")
}

func endOfLine(text string, from int) int {
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(text)
}

// cell returns the next cell, and whether another one follows in the row; false if its quote is not closed.
func (s *scanner) cell() (cell string, more, ok bool) {
	var quoted string
	if s.at < len(s.text) && s.text[s.at] == '"' {
		if quoted, ok = s.quoted(); !ok {
			return "", false, false
		}
	}
	end := s.at
	for end < len(s.text) && s.text[end] != s.separator && s.text[end] != '\n' {
		end++
	}
	cell = quoted + s.text[s.at:end]
	s.at = end
	if s.at < len(s.text) {
		more = s.text[s.at] != '\n'
		s.at++
	}
	if !more {
		s.line++
	}
	return asText(cell), more, true
}

// quoted reads what is in quotes.
func (s *scanner) quoted() (string, bool) {
	var b strings.Builder
	at, lines := s.at+1, 0
	for {
		i := strings.IndexByte(s.text[at:min(len(s.text), at+maxCell)], '"')
		if i < 0 || b.Len() > maxCell {
			return "", false
		}
		b.WriteString(s.text[at : at+i])
		lines += strings.Count(s.text[at:at+i], "\n")
		at += i + 1
		if at >= len(s.text) || s.text[at] != '"' {
			s.at, s.line = at, s.line+lines
			return b.String(), true
		}
		b.WriteByte('"')
		at++
	}
}

// asText returns what ="0123" says: a spreadsheet's way to keep digits as a text.
func asText(cell string) string {
	if text, ok := strings.CutPrefix(cell, `="`); ok && strings.HasSuffix(text, `"`) {
		return strings.TrimSuffix(text, `"`)
	}
	return cell
}
