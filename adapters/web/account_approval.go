package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// approvalPages lets owners of accounts approve a client that is about to sign in.
func (p *Pages) approvalPages() (f feature) {
	if p.Approvals != nil {
		f.routes = []*Route{get("/approve", p.unguarded(p.showApproval)), post("/approve", p.unguarded(p.approve))}
	}
	return f
}

func approvalForm(lang user.Lang, token, client string) formView {
	return formView{
		Head: "Approve this sign-in?", Text: translate(lang, "Someone entered your password from the address %s. Approve the sign-in only if this was you.", client),
		Form: form{Action: "/approve", Button: "Approve", Hidden: []hidden{{"token", token}}},
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
	p.renderForm(w, r, approvalForm(langOf(r), token, client))
}

// approve serves POST /approve.
func (p *Pages) approve(w http.ResponseWriter, r *http.Request) {
	if !p.readForm(w, r) {
		return
	}
	if err := p.Approvals.ApproveClient(r.Context(), r.PostForm.Get("token"), httpx.ClientInfo(r.Context())); err != nil {
		p.renderApprovalError(w, r, err)
		return
	}
	p.renderMessage(w, r, "The sign-in is approved", "Now sign in again with your password, on the device on which you tried before.")
}

func (p *Pages) renderApprovalError(w http.ResponseWriter, r *http.Request, err error) {
	if fault.KindOf(err) == fault.NotFound {
		p.renderError(w, r, http.StatusNotFound, "This link is not valid", "It has been replaced by a newer one, or has expired. Sign in again to get a new link.")
		return
	}
	p.handleError(w, r, err)
}
