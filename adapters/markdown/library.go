// Package markdown shows documentation that is written in Markdown: as HTML pages, where links
// between the files become links between the pages, and as its source, which a terminal shows.
package markdown

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Index is the name of the first page, docs/README.md.
const Index = "index"

// folder is where the pages are; files beside it are pages too.
const folder = "docs"

// Library is a set of pages. It is safe for concurrent use.
type Library struct {
	files  fs.FS
	source string
	pages  map[string]Page   // by name
	names  map[string]string // by file or folder
}

// Page is a Markdown file, or a folder of such files, which shows its README.md or, without one, a list of them.
type Page struct {
	Name  string // docs/recipes/proxy.md is recipes/proxy
	Title string // its first heading
	path  string
	pages []Page // of a folder, in the order of the links of its README.md
}

// New reads the titles of README.md, of its neighbours and of all below docs. Links to
// other files lead to source, an address that ends in a slash.
func New(files fs.FS, source string) (*Library, error) {
	l := &Library{files: files, source: source, pages: map[string]Page{}, names: map[string]string{}}
	err := fs.WalkDir(files, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".md" {
			return err
		}
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		return l.add(Page{Name: nameOf(file), Title: titleOf(text), path: file})
	})
	if err == nil {
		err = l.order()
	}
	if err != nil {
		return nil, fmt.Errorf("markdown: %w", err)
	}
	return l, nil
}

// order sorts the pages of folders as their README.md names them; the others come last.
func (l *Library) order() error {
	for _, p := range l.pages {
		if path.Ext(p.path) != ".md" || len(p.pages) == 0 {
			continue
		}
		text, err := l.text(p)
		if err != nil {
			return err
		}
		at := func(child Page) int {
			if i := bytes.Index(text, []byte("("+path.Base(child.path)+")")); i >= 0 {
				return i
			}
			return len(text)
		}
		slices.SortStableFunc(p.pages, func(a, b Page) int { return at(a) - at(b) })
	}
	return nil
}

// Neighbours are the pages before and after a page in its folder, if that has a README.md.
func (l *Library) Neighbours(p Page) (before, after *Page) {
	above, ok := l.pages[path.Dir(p.Name)]
	if !ok || path.Ext(above.path) != ".md" {
		return nil, nil
	}
	i := slices.IndexFunc(above.pages, func(other Page) bool { return other.Name == p.Name })
	if i > 0 {
		before = &above.pages[i-1]
	}
	if i >= 0 && i+1 < len(above.pages) {
		after = &above.pages[i+1]
	}
	return before, after
}

// add adds a page, and to the page of its folder unless that is docs itself.
func (l *Library) add(p Page) error {
	if other, taken := l.pages[p.Name]; taken {
		return fmt.Errorf("%s and %s are both called %s", other.path, p.path, p.Name)
	}
	l.pages[p.Name], l.names[p.path] = p, p.Name
	dir := path.Dir(p.path)
	if name := nameOf(dir); dir != "." && dir != folder && name != p.Name {
		above, ok := l.pages[name]
		if !ok {
			above = Page{Name: name, Title: folderTitle(name), path: dir}
		}
		above.pages = append(above.pages, p)
		l.pages[name], l.names[dir] = above, name
	}
	return nil
}

// nameOf is README.md's readme, docs/README.md's index, docs/operations/README.md's operations,
// docs/recipes/spa.md's recipes/spa.
func nameOf(file string) string {
	if file == folder+"/README.md" {
		return Index
	}
	if below := strings.TrimPrefix(file, folder+"/"); below != file {
		file = strings.TrimSuffix(below, "/README.md")
	}
	return strings.ToLower(strings.TrimPrefix(strings.TrimSuffix(file, ".md"), folder+"/"))
}

// untitled is the title of a text without a heading.
const untitled = "Untitled"

func titleOf(text []byte) string {
	for line := range bytes.Lines(text) {
		if title, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			return string(bytes.TrimSpace(title))
		}
	}
	return untitled
}

func folderTitle(name string) string {
	if name == "adr" {
		return "Decisions"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// Pages are all pages, the index first and each folder before its pages.
func (l *Library) Pages() []Page {
	return slices.SortedFunc(maps.Values(l.pages), func(a, b Page) int {
		if (a.Name == Index) != (b.Name == Index) {
			return map[bool]int{true: -1, false: 1}[a.Name == Index]
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Find finds a page by its name, by the path of its file or, if that is unambiguous, by the
// last part of its name.
func (l *Library) Find(name string) (Page, bool) {
	name = nameOf(strings.TrimPrefix(name, "/"))
	if p, ok := l.pages[strings.ToLower(name)]; ok {
		return p, true
	}
	var found []Page
	for _, p := range l.pages {
		if path.Base(p.Name) == name {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return Page{}, false
	}
	return found[0], true
}

// text is the Markdown of a page.
func (l *Library) text(p Page) ([]byte, error) {
	if path.Ext(p.path) == ".md" {
		return fs.ReadFile(l.files, p.path)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", p.Title)
	for _, child := range p.pages {
		fmt.Fprintf(&b, "- [%s](%s)\n", child.Title, path.Base(child.path))
	}
	return b.Bytes(), nil
}
