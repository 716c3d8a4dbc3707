package web

import "net/http"

// ContinueTo renders a page that leads to an address at once.
func (p *Pages) ContinueTo(w http.ResponseWriter, r *http.Request, to string) {
	lang := LangOf(r)
	w.Header().Set("Refresh", "0; url="+to)
	w.Header().Set("Cache-Control", "no-store")
	view := MessageView{Head: Translate(lang, "One moment"), Text: Translate(lang, "You are being redirected."), Back: Translate(lang, "Continue"), To: to}
	p.Render(w, r, http.StatusOK, "message", PageData{lang, view.Head, view})
}

// MessageView is a page with a text and a link. Back is the label of the link, To
// its path; "" is the home page.
type MessageView struct {
	Head, Text, Back, To string
	Alert                bool
}

// RenderMessage renders a page with a heading and a text.
func (p *Pages) RenderMessage(w http.ResponseWriter, r *http.Request, head, text string) {
	lang := LangOf(r)
	view := MessageView{Head: Translate(lang, head), Text: Translate(lang, text), Back: Translate(lang, "Back to the home page")}
	p.Render(w, r, http.StatusOK, "message", PageData{lang, view.Head, view})
}
