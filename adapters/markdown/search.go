package markdown

import (
	"bytes"
	"cmp"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Found is a section that holds words somebody looks for.
type Found struct {
	Page   Page
	Anchor string // "" for the beginning of the page
	Title  string // of the section
	Text   string // the first line of it that holds one of the words
}

// mostFound bounds the results of a search, and mostWords the words of one.
const mostFound, mostWords = 20, 10

// What a word counts for by where it stands: a heading says what a section is about.
const inHeading, inTitle, inText = 12, 5, 1

// Search returns the sections that hold all of the words, best first and at most 20; if there is none, those
// that hold the most of them. A word also matches words that begin with it. Decisions, and pages about
// the program's making, come after everything else.
func (l *Library) Search(query string) []Found {
	words := tokens(query)
	words = words[:min(len(words), mostWords)]
	type scored struct {
		Found
		held, score int
	}
	var all []scored
	for _, p := range l.Pages() {
		sections, source, err := l.sections(p)
		if err != nil || path.Ext(p.path) != ".md" {
			continue
		}
		for i, s := range sections {
			end := len(source)
			if i+1 < len(sections) {
				end = sections[i+1].at
			}
			heading, text, _ := bytes.Cut(source[s.at:end], []byte("\n"))
			f := Found{Page: p, Anchor: s.anchor, Title: strings.Trim(string(heading), "# `")}
			if i == 0 {
				f.Anchor = ""
			}
			held, score := rank(words, f.Title, p.Title, string(text))
			if aside(p) {
				score /= 4
			}
			if held > 0 {
				f.Text = firstLine(words, string(text))
				all = append(all, scored{f, held, score})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.held, a.held), cmp.Compare(b.score, a.score))
	})
	var found []Found
	for _, s := range all[:min(len(all), mostFound)] {
		if s.held == all[0].held {
			found = append(found, s.Found)
		}
	}
	return found
}

// aside reports whether a page is about the making of the program.
func aside(p Page) bool {
	return strings.HasPrefix(p.Name, "adr/") || !strings.HasPrefix(p.path, folder+"/")
}

// rank says how many of the words a section holds and how much that counts.
func rank(words []string, heading, title, text string) (held, score int) {
	places := []struct {
		words []string
		each  int
		most  int
	}{{tokens(heading), inHeading, 1}, {tokens(title), inTitle, 1}, {tokens(text), inText, 3}}
	for _, word := range words {
		counted := 0
		for _, place := range places {
			n := 0
			for _, other := range place.words {
				if strings.HasPrefix(other, word) && n < place.most {
					n++
				}
			}
			counted += n * place.each
		}
		if counted > 0 {
			held, score = held+1, score+counted
		}
	}
	if heading := places[0].words; held > 0 && len(heading) > 0 {
		score += inHeading * min(held, len(heading)) / len(heading) // "Restore" before "Back up and restore"
	}
	return held, score
}

// tokens are the words of a text in lower case, without the s of a plural.
func tokens(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, word := range words {
		if len(word) > 3 && !strings.HasSuffix(word, "ss") {
			words[i] = strings.TrimSuffix(word, "s")
		}
	}
	return words
}

// firstLine is the first line of a text that holds one of the words.
func firstLine(words []string, text string) string {
	const most = 160
	for line := range strings.Lines(text) {
		if held, _ := rank(words, "", "", line); held > 0 {
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
