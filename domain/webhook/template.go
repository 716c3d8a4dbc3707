package webhook

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// template is what a sender signs: texts and parts of the request, in order.
type template []part

type part struct {
	kind partKind
	text string // of a literal; the header's name
	path rawjson.Path
}

type partKind int

const (
	literalPart partKind = iota
	bodyPart
	urlPart
	decodedURLPart
	methodPart
	idPart
	timestampPart
	headerPart
	jsonPart
	formPart
)

// The limits of a template: each part costs a pass over what it names.
const (
	maxTemplate  = 1000
	maxParts     = 32
	maxJSONParts = 8
)

// wholeParts are the parts without a name of their own.
var wholeParts = map[string]partKind{
	"body": bodyPart, "url": urlPart, "url.decoded": decodedURLPart, "method": methodPart, "id": idPart, "timestamp": timestampPart,
	"form.sorted": formPart,
}

const partList = "{body}, {url}, {url.decoded}, {method}, {id}, {timestamp}, {header.NAME}, {json.PATH} and {form.sorted}"

// parseTemplate parses text with parts in braces. The error says what is wrong and where.
func parseTemplate(text string) (template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("is longer than %d bytes", maxTemplate)
	}
	var t template
	for rest := text; rest != ""; {
		before, after, braced := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return nil, fmt.Errorf("has a } without its {")
		}
		if before != "" {
			t = append(t, part{kind: literalPart, text: before})
		}
		if rest = after; !braced {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("has a { without its }")
		}
		p, err := parsePart(name)
		if err != nil {
			return nil, err
		}
		t, rest = append(t, p), after
	}
	return t, t.check()
}

func parsePart(name string) (part, error) {
	if kind, ok := wholeParts[name]; ok {
		return part{kind: kind}, nil
	}
	if header, ok := strings.CutPrefix(name, "header."); ok {
		canonical, err := canonicalHeader("it", header)
		if err != nil {
			return part{}, fmt.Errorf("names %.100q, which is not a header", header)
		}
		return part{kind: headerPart, text: canonical}, nil
	}
	if path, ok := strings.CutPrefix(name, "json."); ok {
		steps, err := rawjson.ParsePath(path)
		if err != nil {
			return part{}, fmt.Errorf("names %.100q, which %w", path, err)
		}
		return part{kind: jsonPart, path: steps}, nil
	}
	return part{}, fmt.Errorf("has the unknown part {%s}; the parts are %s", shown(name), partList)
}

// shown returns the beginning of a text for an error of one line.
func shown(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text[:min(len(text), 40)])
}

// check refuses a template that costs too much, or with which anybody could change the body.
func (t template) check() error {
	count := map[partKind]int{}
	for _, p := range t {
		count[p.kind]++
	}
	switch {
	case len(t) > maxParts || count[jsonPart] > maxJSONParts:
		return fmt.Errorf("has more than %d parts, or more than %d of them in the body", maxParts, maxJSONParts)
	case count[bodyPart] > 1 || count[formPart] > 1:
		return fmt.Errorf("has {body} or {form.sorted} twice")
	case count[bodyPart]+count[formPart]+count[jsonPart] == 0:
		return fmt.Errorf("covers no part of the body, so anybody could change it")
	}
	return nil
}

func (t template) has(kind partKind) bool {
	for _, p := range t {
		if p.kind == kind {
			return true
		}
	}
	return false
}

// coversJSONOnly reports whether nothing of a body that is not JSON is signed.
func (t template) coversJSONOnly() bool {
	return t.has(jsonPart) && !t.has(bodyPart) && !t.has(formPart)
}

// headers returns the headers that the template needs.
func (t template) headers() (names []string) {
	for _, p := range t {
		if p.kind == headerPart {
			names = append(names, p.text)
		}
	}
	return names
}

// hash hashes the template filled with a request.
func (t template) hash(into *macState, r Request, id, at string) {
	for _, p := range t {
		if p.kind == bodyPart {
			into.Write(r.Body)
			continue
		}
		into.scratch = p.append(into.scratch[:0], r, id, at)
		into.Write(into.scratch)
	}
}

// fill returns the template filled with a request.
func (t template) fill(r Request, id, at string) []byte {
	text := make([]byte, 0, len(r.Body)+maxID)
	for _, p := range t {
		text = p.append(text, r, id, at)
	}
	return text
}

func (p part) append(into []byte, r Request, id, at string) []byte {
	switch p.kind {
	case literalPart:
		return append(into, p.text...)
	case bodyPart:
		return append(into, r.Body...)
	case urlPart:
		return append(into, r.URL...)
	case decodedURLPart:
		return append(into, decodeURL(r.URL)...)
	case methodPart:
		return append(into, r.method()...)
	case idPart:
		return append(into, id...)
	case timestampPart:
		return append(into, at...)
	case headerPart:
		return append(into, r.header(p.text)...)
	case jsonPart:
		return append(into, p.path.Text(r.Body)...)
	}
	return p.appendForm(into, r)
}

func (p part) appendForm(into []byte, r Request) []byte {
	if r.mediaType() != formType {
		return into
	}
	return appendSorted(into, formFields(r.Body))
}

// reserved are the characters that HubSpot signs unescaped.
var reserved = strings.NewReplacer(pairsOf(":/?@!$'()*,;")...)

func pairsOf(characters string) (pairs []string) {
	for _, c := range characters {
		escaped := url.QueryEscape(string(c))
		if c == '*' {
			escaped = "%2A"
		}
		pairs = append(pairs, escaped, string(c), strings.ToLower(escaped), string(c))
	}
	return pairs
}

func decodeURL(text string) string { return reserved.Replace(text) }
