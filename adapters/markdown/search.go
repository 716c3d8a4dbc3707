package markdown

import (
	"bytes"
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
)

// Found is a section that holds words somebody looks for.
type Found struct {
	Page   Page
	Anchor string // "" for the beginning of the page
	Title  string // of the section
	Text   string // the first line of it that holds one of the words
}

// mostFound bounds the results of a search, and mostWords the words of one.
const mostFound, mostWords = 20, 12

// What a word counts for by where it stands: a heading says what a section is about.
const inHeading, inTitle, inText = 12, 6, 1

// passage is a section as a search sees it.
type passage struct {
	Found
	whole  string
	places [3]place
	score  float64
	counts []float64 // by word of the query
}

// place is a part of a section: how much a word in it counts, and how often.
type place struct {
	words []string
	each  float64
	most  int
}

// usualLength is that of a section, in words. A word says less about a longer one, which has a bit of everything.
const usualLength = 150

// Search returns the sections that are about the words, best first and at most 20. It looks for words that begin like
// one of the query or mean the same; little words count only among themselves, and a rare one more than a frequent one. Answers to
// operators' questions come before, and decisions and pages about the program's making after everything else.
func (l *Library) Search(query string) []Found {
	all, words := l.everySection(), wanted(query)
	weights := make([]float64, len(words))
	for i, word := range words {
		held := 0
		for _, s := range all {
			n := s.count(word)
			s.counts = append(s.counts, n)
			if n > 0 {
				held++
			}
		}
		weights[i] = math.Log(1 + float64(len(all))/float64(1+held))
	}
	for _, s := range all {
		s.weigh(weights)
	}
	slices.SortStableFunc(all, func(a, b *passage) int { return cmp.Compare(b.score, a.score) })
	var found []Found
	for _, s := range all[:min(len(all), mostFound)] {
		if s.score > 0 && s.score >= all[0].score/8 {
			s.Text = firstLine(words, s.whole)
			found = append(found, s.Found)
		}
	}
	return found
}

func (l *Library) everySection() (all []*passage) {
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
			all = append(all, &passage{Found: f, whole: string(text), places: [3]place{
				{tokens(f.Title), inHeading, 1}, {tokens(p.Title), inTitle, 1}, inTextOf(string(text)),
			}})
		}
	}
	return all
}

func inTextOf(text string) place {
	words := tokens(text)
	return place{words, inText / math.Max(1, math.Sqrt(float64(len(words))/usualLength)), 3}
}

// count says how much a word, or one that means the same, counts in the section.
func (s *passage) count(word []string) (counted float64) {
	for _, p := range s.places {
		n := 0
		for _, other := range p.words {
			if n < p.most && slices.ContainsFunc(word, func(w string) bool { return strings.HasPrefix(other, w) }) {
				n++
			}
		}
		counted += float64(n) * p.each
	}
	return counted
}

// weigh scores the section: by its words, by how much of the query they are, and by what the page is for.
func (s *passage) weigh(weights []float64) {
	held, all, inHeading := 0.0, 0.0, 0
	for i, n := range s.counts {
		all += weights[i]
		if n > 0 {
			held += weights[i]
			s.score += weights[i] * math.Sqrt(n)
		}
		if n >= s.places[0].each {
			inHeading++
		}
	}
	if held == 0 {
		return
	}
	s.score *= held / all * held / all
	if n := len(s.places[0].words); n > 0 {
		s.score *= 1 + float64(min(inHeading, n))/float64(2*n) // "Restore" before "Back up and restore"
	}
	s.score *= s.Page.worth()
}

// worth is more for a page that answers a question, and less for one about the making of the program.
func (p Page) worth() float64 {
	switch {
	case strings.HasPrefix(p.Name, "operations/"):
		return 1.5
	case p.Name == "index": // which only leads to other pages
		return 0.5
	case strings.HasPrefix(p.Name, "adr/"), strings.HasSuffix(p.Name, "-history"), p.Name == "releasing", !strings.HasPrefix(p.path, folder+"/"):
		return 0.25
	}
	return 1
}
