package openidprofile

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Page is what a browser shows.
type Page struct {
	Status int
	URL    *url.URL
	Forms  []Form
	Frames []string // addresses of pages within the page
	// Left is where the browser was sent, away from the provider; nil if it is there.
	Left *url.URL
}

// Form is a form of a page with the values of its inputs.
type Form struct {
	Action string
	Fields url.Values
}

// read parses the forms and frames of a page.
func (p *Page) read(body string) error {
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		return err
	}
	for n := range root.Descendants() {
		switch n.Data {
		case "form":
			p.Forms = append(p.Forms, formOf(n))
		case "iframe":
			p.Frames = append(p.Frames, attribute(n, "src"))
		}
	}
	return nil
}

func formOf(n *html.Node) Form {
	f := Form{Action: attribute(n, "action"), Fields: url.Values{}}
	for input := range n.Descendants() {
		if name := attribute(input, "name"); input.Data == "input" && name != "" && sent(input) {
			f.Fields.Set(name, attribute(input, "value"))
		}
	}
	return f
}

// sent reports whether a browser sends the input: a box that nobody has ticked is not.
func sent(input *html.Node) bool {
	kind := attribute(input, "type")
	return kind != "checkbox" && kind != "radio" || slices.ContainsFunc(input.Attr, func(a html.Attribute) bool { return a.Key == "checked" })
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
