package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// approvalPages lets owners of accounts approve a client that is about to sign in.
func (p *Pages) approvalPages() (f web.Feature) {
	if p.Approvals != nil {
		f.Routes = []*web.Route{web.Get("/approve", p.Unguarded(p.showApproval)), web.Post("/approve", p.Unguarded(p.approve))}
	}
	return f
}

func approvalForm(lang user.Lang, token, client string) web.FormView {
	return web.FormView{
		Head: "Approve this sign-in?", Text: web.Translate(lang, "Someone entered your password from the address %s. Approve the sign-in only if this was you.", client),
		Form: web.Form{Action: "/approve", Button: "Approve", Hidden: []web.Hidden{{Name: "token", Value: token}}},
	}
}

// showApproval serves GET /approve. It approves nothing: mail scanners open links, too.
func (p *Pages) showApproval(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	client, err := p.Approvals.PendingApproval(r.Context(), token)
	if err != nil {
		p.renderApprovalError(w, r, err)
		return
	}
	p.RenderForm(w, r, approvalForm(web.LangOf(r), token, client))
}

// approve serves POST /approve.
func (p *Pages) approve(w http.ResponseWriter, r *http.Request) {
	if !p.ReadForm(w, r) {
		return
	}
	if err := p.Approvals.ApproveClient(r.Context(), r.PostForm.Get("token"), httpx.ClientInfo(r.Context())); err != nil {
		p.renderApprovalError(w, r, err)
		return
	}
	p.RenderMessage(w, r, "The sign-in is approved", "Now sign in again with your password, on the device on which you tried before.")
}

func (p *Pages) renderApprovalError(w http.ResponseWriter, r *http.Request, err error) {
	if fault.KindOf(err) == fault.NotFound {
		p.RenderError(w, r, http.StatusNotFound, "This link is not valid", "It has been replaced by a newer one, or has expired. Sign in again to get a new link.")
		return
	}
	p.HandleError(w, r, err)
}
