package sellingpages

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/sheet"
	"github.com/octavo-books/octavo/domain/user"
)

// importPages lists the books of a file.
func (p *Pages) importPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get(importPath, p.ForStudents(p.showImport)), web.Post(importPath, p.ForStudentUploads(p.checkImport)).WithoutTimeout(),
		web.Post(importPath+"/start", p.ForStudents(p.startImport)), web.Post(importPath+"/cancel", p.ForStudents(p.cancelImport)),
		web.Post(importPath+"/columns", p.ForStudents(p.assignColumns)), web.Post(importPath+"/correct", p.ForStudentsUpTo(maxCorrections, p.correctImport)),
		web.File(importPath+"/errors", p.ForStudents(p.downloadErrors)),
	}}
}

// importPath is the path of the page on which sellers list many books at once.
const importPath = "/mine/import"

// showImport serves GET /mine/import: the last file and its progress.
func (p *Pages) showImport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.renderImport(w, r, by, nil)
}

// renderImport renders the page, with the refusal of a file if there is one. A file that is refused is shown with
// its own reasons, and nothing of the one before.
func (p *Pages) renderImport(w http.ResponseWriter, r *http.Request, by user.Caller, refusal error) error {
	v := importView{Options: p.Options, lang: web.LangOf(r)}
	v.PerDay, v.PerDayOfStore = p.Market.Imports.LinesPerDay()
	if refusal == nil || !refusesFile(r, refusal) {
		last, err := p.Market.Imports.Progress(r.Context(), by)
		if err != nil && !errors.Is(err, selling.ErrImportNotFound) {
			return err
		}
		if err == nil {
			v.add(last, r.PostForm)
		}
	}
	status := http.StatusOK
	if f := fault.As(refusal); f != nil {
		status, v.Error = httpx.Status(refusal), web.ErrorMessage(v.lang, f)
		v.Reasons = web.NewRejectedLine(market.RejectedLine{Fields: f.Fields}).Reasons
		if errors.Is(refusal, selling.ErrColumns) {
			v.chosen()
		}
		httpx.SetRetryAfter(w.Header(), refusal)
	}
	return p.Show(w, r, status, "import", "Sell many books", v)
}

// refusesFile reports whether a refusal is about the file that was sent.
func refusesFile(r *http.Request, refusal error) bool {
	return r.URL.Path == importPath && !errors.Is(refusal, selling.ErrImportRunning)
}

// checkImport serves POST /mine/import: it checks and stores a file.
func (p *Pages) checkImport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	done, err := p.Market.Uploads.Begin(r.Context(), by.ID)
	if err != nil {
		return err
	}
	defer done()
	var file []byte
	err = httpx.ReadParts(w, r, web.MaxImportForm, market.MaxImport, func(part httpx.Part) error {
		if part.Name == "file" {
			file = part.Data
		}
		return nil
	})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		err = fmt.Errorf("%w (%w)", web.ErrImportFile, tooLarge)
	case err == nil && (len(file) == 0 || len(file) > market.MaxImport):
		err = web.ErrImportFile
	case err == nil:
		err = p.Market.Imports.Prepare(r.Context(), by, file, likelyDates(r.Header.Get("Accept-Language")))
	}
	return p.afterImport(w, r, by, err)
}

// afterImport leads back to the page, or shows a refusal on it.
func (p *Pages) afterImport(w http.ResponseWriter, r *http.Request, by user.Caller, err error) error {
	switch kind := fault.KindOf(err); {
	case err == nil:
		return p.Redirect(w, r, importPath, "")
	case kind == fault.Invalid, kind == fault.Limited, kind == fault.Conflict:
		return p.renderImport(w, r, by, err)
	}
	return err
}

// startImport serves POST /mine/import/start.
func (p *Pages) startImport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.afterImport(w, r, by, p.Market.Imports.Start(r.Context(), by, web.IDOf[int64](r.PostForm.Get("id")), r.PostForm.Get("again") != ""))
}

// cancelImport serves POST /mine/import/cancel.
func (p *Pages) cancelImport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.afterImport(w, r, by, p.Market.Imports.Cancel(r.Context(), by, web.IDOf[int64](r.PostForm.Get("id"))))
}

// assignColumns serves POST /mine/import/columns: what the columns of the file mean.
func (p *Pages) assignColumns(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Imports.Assign(
		r.Context(), by, web.IDOf[int64](r.PostForm.Get("id")), columnsOf(r.PostForm), dateOrderOf(r.PostForm.Get("dates")),
	)
	return p.afterImport(w, r, by, err)
}

// maxCorrections bounds the form with the cells of all lines that the page shows.
const maxCorrections = 4 << 20

// correctImport serves POST /mine/import/correct: other cells, each named by its line and field as in 5.price.
func (p *Pages) correctImport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	cells := map[int]map[string]string{}
	for name, values := range r.PostForm {
		number, field, ok := strings.Cut(name, ".")
		line, err := strconv.Atoi(number)
		if !ok || err != nil || len(values) == 0 {
			continue
		}
		if cells[line] == nil {
			cells[line] = map[string]string{}
		}
		cells[line][field] = strings.ReplaceAll(values[0], "\r\n", "\n") // a form has these line ends
	}
	return p.afterImport(w, r, by, p.Market.Imports.Correct(r.Context(), by, web.IDOf[int64](r.PostForm.Get("id")), cells))
}

// downloadErrors serves GET /mine/import/errors: the lines with errors as a file like the one that was sent, with a
// column that says why. A line of which the cells cannot be told stands whole in the first cell.
func (p *Pages) downloadErrors(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	file, rows, err := p.Market.Imports.ListRejected(r.Context(), by)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="books-with-errors.csv"`)
	w.Header().Set("Cache-Control", "private, no-store")
	out := bufio.NewWriter(w)
	_, _ = out.WriteString(sheet.ByteOrderMark + sheet.Line(append(file.Header[:len(file.Header):len(file.Header)], "why"), file.Separator))
	for _, row := range rows {
		cells := make([]string, len(file.Header)+1)
		for i, cell := range row.Cells[:min(len(row.Cells), len(file.Header))] {
			cells[i] = pasted.Inert(cell)
		}
		if len(row.Cells) == 0 {
			cells[0] = pasted.Inert(row.Text)
		}
		cells[len(file.Header)] = whyOf(web.LangOf(r), row)
		_, _ = out.WriteString(sheet.Line(cells, file.Separator))
	}
	return out.Flush()
}
