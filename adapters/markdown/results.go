package markdown

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// firstLine is the first line of a text that holds one of the words.
func firstLine(words [][]string, text string) string {
	const most = 160
	for line := range strings.Lines(text) {
		s := passage{places: [3]place{{tokens(line), inText, 1}}}
		if slices.ContainsFunc(words, func(word []string) bool { return s.count(word) > 0 }) {
			runes := []rune(unmarked(line))
			if len(runes) > most {
				return string(runes[:most]) + "…"
			}
			return string(runes)
		}
	}
	return ""
}

var linkMarks = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)

// unmarked is a line of Markdown as a reader sees it, near enough for an excerpt.
func unmarked(line string) string {
	line = linkMarks.ReplaceAllString(line, "$1")
	line = strings.NewReplacer("`", "", "**", "", " | ", " · ", "| ", "", " |", "").Replace(strings.TrimSpace(line))
	return strings.Trim(line, "*-> ·|")
}

var resultsPage = template.Must(template.Must(around.Clone()).Parse(`{{template "top" .Frame}}<h1>Search</h1>
{{range .Found}}<p><a href="{{.To}}">{{.Title}}</a><br>{{.Text}}</p>
{{else}}<p>No page holds any of these words.</p>
{{end}}</article>
`))

// results is the page of what a search has found.
func (l *Library) results(query, base string) template.HTML {
	type row struct{ To, Title, Text string }
	to := addressBelow(base)
	var rows []row
	for _, f := range l.Search(query) {
		title := f.Page.Title
		if f.Anchor != "" {
			title += ": " + f.Title
		}
		rows = append(rows, row{to(f.Page.Name, f.Anchor), title, f.Text})
	}
	var b bytes.Buffer
	err := resultsPage.Execute(&b, map[string]any{"Frame": frame{Index: base, Words: query, Searched: true}, "Found": rows})
	if err != nil {
		return "" // cannot be: the template is constant, and writing to memory does not fail
	}
	return template.HTML(b.String()) //nolint:gosec // the template escapes
}
