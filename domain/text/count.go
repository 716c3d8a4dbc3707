package text

import "strconv"

// Count says how many there are in English: "1 book", "2 books".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
