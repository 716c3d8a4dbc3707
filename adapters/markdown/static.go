package markdown

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

var staticPage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Title}}</title>
<style>body{max-width:50rem;margin:0 auto;padding:1rem;font:1rem/1.5 system-ui,sans-serif}table{display:block;overflow-x:auto;border-collapse:collapse}
td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}pre{overflow-x:auto;background:#f4f4f4;padding:.8rem}img{max-width:100%}</style>
</head><body>{{.Main}}</body></html>
`))

// WriteSite writes all pages as HTML into a folder, with their pictures. Their links lead to one another by
// relative addresses, so that the folder can be served anywhere, or opened from the disk. It replaces files of the same names.
func (l *Library) WriteSite(dir string) error {
	for _, p := range l.Pages() {
		if err := l.writePage(dir, p); err != nil {
			return fmt.Errorf("markdown: %s: %w", p.Name, err)
		}
	}
	return fs.WalkDir(l.files, folder, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !isPicture(file) {
			return err
		}
		picture, err := fs.ReadFile(l.files, file)
		if err != nil {
			return err
		}
		return write(filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(file, folder+"/"))), picture)
	})
}

func (l *Library) writePage(dir string, p Page) error {
	main, err := l.html(p, func(name, anchor string) string {
		to := strings.Repeat("../", strings.Count(p.Name, "/")) + name
		if !isPicture(name) {
			to += ".html"
		}
		if anchor != "" {
			to += "#" + anchor
		}
		return to
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := staticPage.Execute(&b, map[string]any{"Title": p.Title, "Main": main}); err != nil {
		return err
	}
	return write(filepath.Join(dir, filepath.FromSlash(path.Clean(p.Name)))+".html", b.Bytes())
}

func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // everybody may read the documentation
		return err
	}
	return os.WriteFile(file, content, 0o644) //nolint:gosec // everybody may read the documentation
}
