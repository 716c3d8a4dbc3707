package web

import (
	"context"
	"crypto/sha256"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// importPath is the path of the page on which sellers list many books at once.
const importPath = "/mine/import"

const (
	maxImportFile  = 1 << 20 // bytes of a file on the page, which repeats it; the API takes larger ones
	maxImportForm  = 4 * maxImportFile
	maxShownLines  = 200 // rejected lines that the page names
	importDeadline = 5 * time.Minute
)

// errImportFile refuses a file that is too large for the page, or missing.
var errImportFile = fault.New(fault.Invalid, "import_file", "Choose a CSV file of at most 1 MiB.").WithField("file", "Choose a CSV file of at most 1 MiB.")

type importView struct {
	Error    string
	Checked  bool // what follows is about a file
	Posted   bool
	Accepted int
	Rejected []rejectedLine
	Unnamed  int      // further rejected lines
	Text     string   // the file, for the form that posts it; empty: nothing to post
	Key      []hidden // of that form
}

// rejectedLine is a line of a file with what is wrong with it, one reason for each field.
type rejectedLine struct {
	Line    int
	Reasons []fieldReason
}

type fieldReason struct{ Field, Why string }

// showImport serves GET /mine/import.
func (p *Pages) showImport(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	p.renderImport(w, r, http.StatusOK, importView{})
	return nil
}

func (p *Pages) renderImport(w http.ResponseWriter, r *http.Request, status int, v importView) {
	lang := langOf(r)
	p.render(w, r, status, "import", pageData{lang, translate(lang, "Sell many books"), v})
}

// importBooks serves POST /mine/import: a file is checked, and the text of a checked one posted.
func (p *Pages) importBooks(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	done, err := p.Market.Uploads.Begin(r.Context(), by.ID)
	if err != nil {
		return err
	}
	defer done()
	file, err := readImport(w, r)
	if err != nil {
		return p.refuseImport(w, r, err)
	}
	confirmed := r.PostForm.Has("text")
	ctx, cancel := context.WithTimeout(r.Context(), importDeadline)
	defer cancel()
	key := market.IdempotencyKey{Value: formKey(r), BodyHash: sha256.Sum256(file)}
	result, err := p.Market.Imports.Import(ctx, by, key, file, !confirmed)
	if err != nil {
		return p.refuseImport(w, r, err)
	}
	v := importView{Checked: true, Posted: confirmed, Accepted: result.Accepted, Unnamed: max(0, len(result.Rejected)-maxShownLines)}
	for _, line := range result.Rejected[:len(result.Rejected)-v.Unnamed] {
		v.Rejected = append(v.Rejected, newRejectedLine(line))
	}
	if !confirmed && result.Accepted > 0 {
		v.Text, v.Key = string(file), newFormKey()
	}
	p.renderImport(w, r, http.StatusOK, v)
	return nil
}

func newRejectedLine(l market.RejectedLine) rejectedLine {
	out := rejectedLine{Line: l.Line}
	for _, field := range slices.Sorted(maps.Keys(l.Fields)) {
		reason := fieldReason{field, l.Fields[field]}
		if field == market.RecordField {
			reason.Field = ""
		}
		out.Reasons = append(out.Reasons, reason)
	}
	return out
}

// refuseImport renders the page with an error that another file can mend.
func (p *Pages) refuseImport(w http.ResponseWriter, r *http.Request, err error) error {
	kind := fault.KindOf(err)
	if kind != fault.Invalid && kind != fault.Limited {
		return err
	}
	lang := langOf(r)
	v := importView{Error: translate(lang, httpx.PublicMessage(err))}
	if text, ok := catalogues[lang].lookup("error", fault.As(err).Code); ok {
		v.Error = text
	}
	httpx.SetRetryAfter(w.Header(), err)
	p.renderImport(w, r, httpx.Status(err), v)
	return nil
}

// readImport reads the form with the file, or with its text.
func readImport(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	deadline := time.Now().Add(httpx.UploadTimeout)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(deadline) // a test's recorder has none
	_ = control.SetWriteDeadline(deadline.Add(importDeadline))
	r.Body = http.MaxBytesReader(w, r.Body, maxImportForm)
	if err := r.ParseMultipartForm(maxImportForm); err != nil {
		return nil, errImportFile
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	if text := r.PostForm.Get("text"); text != "" {
		return []byte(text), nil
	}
	f, header, err := r.FormFile("file")
	if err != nil || header.Size > maxImportFile {
		return nil, errImportFile
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}
