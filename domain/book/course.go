package book

import "strings"

// CourseLabel writes a course code in one form, whatever its seller has typed: MATH 165 for math165 and MATH-165. Other
// texts stay as they are.
func CourseLabel(course string) string {
	subject := strings.TrimRight(course[:len(course)-len(strings.TrimLeftFunc(course, isLetter))], " ")
	number := strings.TrimLeft(course[len(subject):], " -_.")
	digits := len(number) - len(strings.TrimLeft(number, "0123456789"))
	suffix := number[digits:]
	if len(subject) < 2 || len(subject) > 5 || digits < 2 || digits > 5 || len(suffix) > 2 || strings.TrimLeftFunc(suffix, isLetter) != "" {
		return course
	}
	return strings.ToUpper(subject) + " " + strings.ToUpper(number)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
