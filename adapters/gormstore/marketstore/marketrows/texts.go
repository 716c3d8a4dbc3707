package marketrows

import (
	"fmt"
	"strings"
)

// textSeparator is a character that no stored text of one line has.
const textSeparator = "\x1f"

// JoinTexts selects several texts as one column, which Texts splits: on SQLite each column of each row costs
// about as much as finding the row. Only the last text may have several lines.
func JoinTexts(columns ...string) string {
	return strings.Join(columns, " || '"+textSeparator+"' || ")
}

// Texts are the destinations of a column of JoinTexts.
type Texts []*string

// Scan implements sql.Scanner.
func (t Texts) Scan(stored any) error {
	rest, ok := stored.(string)
	if !ok {
		return fmt.Errorf("joined texts: %T", stored)
	}
	for _, text := range t[:len(t)-1] {
		if *text, rest, ok = strings.Cut(rest, textSeparator); !ok {
			return fmt.Errorf("joined texts: fewer than %d", len(t))
		}
	}
	*t[len(t)-1] = rest
	return nil
}
