package markdown

import (
	"bytes"
	"errors"

	"github.com/yuin/goldmark/ast"
)

// ErrNoSection says that a page has no heading with an anchor.
var ErrNoSection = errors.New("markdown: there is no such section")

// section is a heading of a page.
type section struct {
	anchor    string
	level, at int // where its line begins
}

// Source returns the Markdown of a page, or of the section at an anchor, which ends before the next
// heading of its level, or ErrNoSection.
func (l *Library) Source(p Page, anchor string) ([]byte, error) {
	all, source, err := l.sections(p)
	if err != nil || anchor == "" {
		return source, err
	}
	for i, s := range all {
		if s.anchor != anchor {
			continue
		}
		end := len(source)
		for _, next := range all[i+1:] {
			if next.level <= s.level {
				end = next.at
				break
			}
		}
		return append(bytes.TrimSpace(source[s.at:end]), '\n'), nil
	}
	return nil, ErrNoSection
}

// Anchors returns the anchors of a page, in its order.
func (l *Library) Anchors(p Page) (names []string, err error) {
	all, _, err := l.sections(p)
	for _, s := range all {
		names = append(names, s.anchor)
	}
	return names, err
}

func (l *Library) sections(p Page) (all []section, source []byte, err error) {
	doc, source, err := l.parse(p, func(target, _ string) string { return target })
	if err != nil {
		return nil, nil, err
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		heading, ok := n.(*ast.Heading)
		if !ok || heading.Lines().Len() == 0 {
			continue
		}
		id, _ := heading.AttributeString("id")
		anchor, _ := id.([]byte)
		begin := bytes.LastIndexByte(source[:heading.Lines().At(0).Start], '\n') + 1
		all = append(all, section{string(anchor), heading.Level, begin})
	}
	return all, source, nil
}
