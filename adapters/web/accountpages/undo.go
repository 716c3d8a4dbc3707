package accountpages

import (
	"context"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// undoPage is the page of such a link.
type undoPage struct {
	path               string
	head, text, button string
	done               string // what the page says afterwards
	// check returns a fault.NotFound for a link that undo would refuse, and changes nothing.
	check func(ctx context.Context, token string) error
	undo  func(ctx context.Context, token string, from user.ClientInfo) error
}

// undoable returns the pages of all links that undo something.
func (p *Pages) undoable() []undoPage {
	if p.Identity == nil {
		return nil
	}
	return []undoPage{
		{
			path: "/account/undo-deletion", head: "Keep your account?", text: "Your account is going to be deleted. Press the button to keep it. You can sign in again afterwards.",
			button: "Keep my account", done: "Your account will not be deleted. You can sign in again.",
			check: p.Identity.Deletions.Check, undo: p.Identity.Deletions.Undo,
		},
		{
			path: "/account/undo-email", head: "Undo the change of your address?",
			text:   "Press the button if you did not ask for it. Your account gets its old address back and is signed out everywhere. Passkeys, authenticator apps, connected accounts, access of applications and passwords that were added since are removed.",
			button: "Undo the change", done: "Your account has its old address again, and every device is signed out. Please set a new password.",
			check: p.Identity.EmailChanges.Check, undo: p.Identity.EmailChanges.Undo,
		},
	}
}

// undoPages undoes changes by links in mails.
func (p *Pages) undoPages() (f web.Feature) {
	for _, u := range p.undoable() {
		f.Routes = append(f.Routes, web.Get(u.path, p.Unguarded(p.showUndo(u))), web.Post(u.path, p.Unguarded(p.undo(u))))
	}
	return f
}

// showUndo shows the button and undoes nothing: mail scanners open links, too.
func (p *Pages) showUndo(u undoPage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token := r.URL.Query().Get("token")
		if err := u.check(r.Context(), token); err != nil {
			p.renderUndoError(w, r, err)
			return
		}
		p.RenderForm(w, r, web.FormView{
			Head: u.head, Text: u.text,
			Form: web.Form{Action: u.path, Button: u.button, Hidden: []web.Hidden{{Name: "token", Value: token}}},
		})
	}
}

// undo follows the link. It refuses forms of other sites.
func (p *Pages) undo(u undoPage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !p.ReadForm(w, r) {
			return
		}
		if err := u.undo(r.Context(), r.PostForm.Get("token"), httpx.ClientInfo(r.Context())); err != nil {
			p.renderUndoError(w, r, err)
			return
		}
		p.RenderMessage(w, r, "Done", u.done)
	}
}

func (p *Pages) renderUndoError(w http.ResponseWriter, r *http.Request, err error) {
	if fault.KindOf(err) != fault.NotFound {
		p.HandleError(w, r, err)
		return
	}
	p.RenderError(w, r, http.StatusNotFound, "This link is not valid", "It has been used, it has expired, or it is incomplete. Please copy the whole link from the email.")
}
