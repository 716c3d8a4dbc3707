package web

import "net/http"

// continueTo renders a page that leads to an address at once.
func (p *Pages) continueTo(w http.ResponseWriter, r *http.Request, to string) {
	lang := langOf(r)
	w.Header().Set("Refresh", "0; url="+to)
	w.Header().Set("Cache-Control", "no-store")
	view := messageView{Head: translate(lang, "One moment"), Text: translate(lang, "You are being redirected."), Back: translate(lang, "Continue"), To: to}
	p.render(w, r, http.StatusOK, "message", pageData{lang, view.Head, view})
}

// messageView is a page with a text and a link. Back is the label of the link, To
// its path; "" is the home page.
type messageView struct {
	Head, Text, Back, To string
	Alert                bool
}

// renderMessage renders a page with a heading and a text.
func (p *Pages) renderMessage(w http.ResponseWriter, r *http.Request, head, text string) {
	lang := langOf(r)
	view := messageView{Head: translate(lang, head), Text: translate(lang, text), Back: translate(lang, "Back to the home page")}
	p.render(w, r, http.StatusOK, "message", pageData{lang, view.Head, view})
}
