package sellingpages

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// importPages lists the books of a file.
func (p *Pages) importPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get(importPath, p.ForStudents(p.showImport)), web.Post(importPath, p.ForStudentUploads(p.checkImport)).WithoutTimeout(),
		web.Post(importPath+"/start", p.ForStudents(p.startImport)), web.Post(importPath+"/cancel", p.ForStudents(p.cancelImport)),
	}}
}

// importPath is the path of the page on which sellers list many books at once.
const importPath = "/mine/import"

type importView struct {
	Error string
	Last  *selling.StoredImport // nil: none
	ID    string                // of Last
	Lines []web.RejectedLine    // of Last

	PerDay, PerDayOfStore int // lines that a person and a campus store may import
}

// Checked, Running, Done and Cancelled report the state of the last file.
func (v importView) Checked() bool   { return v.in(selling.ImportChecked) }
func (v importView) Running() bool   { return v.in(selling.ImportRunning) }
func (v importView) Done() bool      { return v.in(selling.ImportDone) }
func (v importView) Cancelled() bool { return v.in(selling.ImportCancelled) }

func (v importView) in(s selling.ImportState) bool { return v.Last != nil && v.Last.State == s }

// showImport serves GET /mine/import: the last file and its progress.
func (p *Pages) showImport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.renderImport(w, r, by, nil)
}

// renderImport renders the page, with the refusal of a file if there is one.
func (p *Pages) renderImport(w http.ResponseWriter, r *http.Request, by user.Caller, refusal error) error {
	lang, status, v := web.LangOf(r), http.StatusOK, importView{}
	v.PerDay, v.PerDayOfStore = p.Market.Imports.LinesPerDay()
	last, err := p.Market.Imports.Progress(r.Context(), by)
	switch {
	case err == nil:
		v.Last, v.ID = &last, id.Format(last.ID)
		for _, line := range last.Rejected {
			v.Lines = append(v.Lines, web.NewRejectedLine(line))
		}
	case !errors.Is(err, selling.ErrImportNotFound):
		return err
	}
	if f := fault.As(refusal); f != nil {
		status, v.Error = httpx.Status(refusal), f.Msg
		if text, ok := web.Catalogues[lang].Lookup("error", f.Code); ok {
			v.Error = text
		}
		httpx.SetRetryAfter(w.Header(), refusal)
	}
	return p.Show(w, r, status, "import", "Sell many books", v)
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
		err = p.Market.Imports.Prepare(r.Context(), by, file)
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
	return p.afterImport(w, r, by, p.Market.Imports.Start(r.Context(), by, web.IDOf[int64](r.PostForm.Get("id"))))
}

// cancelImport serves POST /mine/import/cancel.
func (p *Pages) cancelImport(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.afterImport(w, r, by, p.Market.Imports.Cancel(r.Context(), by, web.IDOf[int64](r.PostForm.Get("id"))))
}
