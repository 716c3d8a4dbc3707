package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/user"
)

// workPages shows owners the background work.
func (p *Pages) workPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(workPath, p.ForOwners(p.showWork)).InMenu(130, "Background work", ""),
			web.Post(workPath+"/retry", p.ForOwners(p.retryWork)), web.Post(workPath+"/drop", p.ForOwners(p.dropWork)),
		},
		Flashes: map[string]string{
			"work_retried": "It is tried again.",
			"work_dropped": "It was dropped and is never done.",
		},
	}
}

// workPath is the page on which owners see the background work.
const workPath = "/dashboard/work"

// showWork serves GET /dashboard/work.
func (p *Pages) showWork(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	found, err := p.Work.Show(r.Context(), by)
	if err != nil {
		return err
	}
	v := workView{Kinds: found.Kinds}
	for _, j := range found.Failed {
		v.Jobs = append(v.Jobs, failedWork{Job: j, Number: id.Format(j.ID), Name: string(j.Kind)})
	}
	return p.Show(w, r, http.StatusOK, "work", "Background work", v)
}

type workView struct {
	Kinds []work.Counts
	Jobs  []failedWork
}

// failedWork is a job with its ID and kind as texts, for its buttons.
type failedWork struct {
	job.Job
	Number, Name string
}

// retryWork serves POST /dashboard/work/retry.
func (p *Pages) retryWork(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Work.Retry(r.Context(), by, web.IDOf[int64](r.PostForm.Get("id")))
	return p.Done(w, r, err, workPath, "work_retried")
}

// dropWork serves POST /dashboard/work/drop: it asks, and then drops.
func (p *Pages) dropWork(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if r.PostForm.Get("sure") == "" {
		p.RenderForm(w, r, web.FormView{Head: "Drop this work?", Text: "It is never done, and that cannot be undone.", Form: web.Form{
			Action: workPath + "/drop", Button: "Drop", Danger: true, Hidden: []web.Hidden{{Name: "id", Value: r.PostForm.Get("id")}, {Name: "sure", Value: "yes"}},
		}, Links: []web.Option{{Value: workPath, Label: "Go back"}}})
		return nil
	}
	err := p.Work.Drop(r.Context(), by, web.IDOf[int64](r.PostForm.Get("id")))
	return p.Done(w, r, err, workPath, "work_dropped")
}
