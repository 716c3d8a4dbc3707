package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

// restorableForms are the forms in which people type something, by path. If their page cannot be
// shown with what is wrong, or if the session has ended meanwhile, the form alone is rendered
// with the submitted values: whatever fails, nothing that was typed is lost.
var restorableForms = map[string]func(typed url.Values) formView{
	"/sell":         listingFormFor,
	"/sell/preview": listingFormFor,
	"/wanted": func(url.Values) formView {
		v := formView{Head: "Requests", Form: requestForm}
		v.Form.Hidden = newFormKey()
		return v
	},
	conversationPath: func(typed url.Values) formView {
		return formView{Head: "Messages", Form: form{
			Action: conversationPath, Button: "Send", Hidden: []hidden{{"id", typed.Get("id")}, {"book", typed.Get("book")}},
			Fields: []field{{Name: "text", Label: "Your message", Type: "lines", Max: conversation.MaxText}},
		}}
	},
	"/account": func(typed url.Values) formView {
		return formView{Head: "Profile", Form: emptyProfileForm(!typed.Has("university"))}
	},
	"/account/name":             restored("Profile", nameForm(user.User{})),
	emailPath:                   restored(newEmailForm.Head, newEmailForm.Form),
	securityPath + "/passkeys":  restored("Signing in", addPasskeyForm),
	reportPath:                  reportForm,
	ratePath:                    restored("Was it as described?", *rateForm(0, nil)),
	handoverPath:                restored("Confirm the hand-over", *handoverForm(0)),
	meetingPath:                 restored("Propose where and when to meet", form{Button: "Propose", Fields: []field{meetingTime("")}}),
	orderPath + "/cancel":       restored("Cancel the order", form{Button: "Cancel the order", Danger: true, Fields: []field{cancelReason}}),
	ordersPath + "/cancel":      restored("Cancel sale", form{Button: "Cancel sale", Fields: []field{cancelReason}}),
	unlistPath:                  restored("Unlist books", form{Button: "Unlist these books", Fields: reasonForm.Fields}),
	decidePath:                  restored("Decision", form{Button: "Save", Fields: []field{decisionNote}}),
	"/dashboard/people/suspend": restored("Suspend", suspendForm(user.User{}, "")),
	linkPath:                    restored("Connect a sign-in", form{Button: "Connect", Fields: []field{subjectField}}),
	inviteForm.Action:           restored("Invite", inviteForm),
	desksPath:                   restored("Desks", deskForm),
	placesPath:                  restored("Places to meet", placeForm("")),
	clientsPath:                 restored("Applications", form{Button: "Add the application", Fields: clientFields}),
}

// restored returns a form on a page of its own. What was submitted beside its fields is hidden
// in it.
func restored(head string, f form) func(url.Values) formView {
	return func(typed url.Values) formView {
		f := f
		f.Hidden = nil
		for _, name := range slices.Sorted(keysOf(typed)) {
			if slices.ContainsFunc(f.Fields, func(one field) bool { return one.Name == name }) {
				continue
			}
			for _, value := range typed[name] {
				f.Hidden = append(f.Hidden, hidden{name, value})
			}
		}
		return formView{Head: head, Form: f}
	}
}

func keysOf(values url.Values) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	}
}

// listingFormFor returns the form for a new book or, with an id, for editing one.
func listingFormFor(typed url.Values) formView {
	if id := typed.Get("id"); id != "" {
		return editForm(idOf[book.ID](id))
	}
	return listingForm()
}

// restoreForm renders the form of a request that has failed, with what was typed and what is
// wrong; false if nothing was typed.
func (p *Pages) restoreForm(w http.ResponseWriter, r *http.Request, err error) bool {
	view, typed := restorableForms[r.URL.Path]
	if r.Method != http.MethodPost || !typed || r.PostForm == nil {
		return false
	}
	v := view(r.PostForm)
	v.Form.Action = r.URL.Path
	if back := r.PostForm.Get("back"); back != "" {
		v.Links = append(v.Links, option{Value: localPath(back), Label: "Go back"})
	}
	p.renderFormError(w, r, v, err)
	return true
}

// redirectToSignIn redirects to the sign-in page, which leads back here. A restorable
// form is rendered again instead, so that its values are not lost: the person signs
// in in another window and submits it again.
func (p *Pages) redirectToSignIn(w http.ResponseWriter, r *http.Request) {
	view, typed := restorableForms[r.URL.Path]
	if r.Method != http.MethodPost || !typed {
		http.Redirect(w, r, "/login?"+url.Values{"next": {returnPath(r)}}.Encode(), http.StatusSeeOther)
		return
	}
	if !p.readForm(w, r) {
		return
	}
	lang, v := langOf(r), view(r.PostForm)
	v.SignedOut, v.Form = true, v.Form.withValues(r.PostForm)
	v.Form.Action = r.URL.Path
	p.render(w, r, http.StatusUnauthorized, "form", pageData{lang, translate(lang, v.Head), v})
}
