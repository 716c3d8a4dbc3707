package web

import (
	"errors"
	"io"
	"net/http"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Audience is who may open a page or send a form.
type Audience string

// The audiences. Whoever signs in is a member; students have a profile.
const (
	Anybody  Audience = "anybody"
	Members  Audience = "members"
	Students Audience = "students"
	Admins   Audience = "admins"
	Owners   Audience = "owners"
)

// admits returns the error that a caller outside the audience gets.
func (a Audience) admits(by user.Caller) error {
	switch a {
	case Anybody:
		return nil
	case Students:
		return by.MustBeStudent()
	case Admins:
		return by.MustBe(user.Admin)
	case Owners:
		return by.MustBe(user.Owner)
	}
	return by.MustBe(user.Regular)
}

// handler serves a page to an authorized viewer. An error is shown on a page of its
// own.
type handler func(w http.ResponseWriter, r *http.Request, by user.Caller) error

// guarded is a handler with who may use it.
type guarded struct {
	audience Audience
	serve    http.HandlerFunc
}

// forAnybody, forMembers, forStudents, forAdmins and forOwners restrict a page to an audience and
// parse its form. Other viewers are sent to sign in or shown what they lack.
func (p *Pages) forAnybody(h handler) guarded { return p.authorize(Anybody, p.readForm, h) }

func (p *Pages) forMembers(h handler) guarded { return p.authorize(Members, p.readForm, h) }

func (p *Pages) forStudents(h handler) guarded { return p.authorize(Students, p.readForm, h) }

func (p *Pages) forAdmins(h handler) guarded { return p.authorize(Admins, p.readForm, h) }

func (p *Pages) forOwners(h handler) guarded { return p.authorize(Owners, p.readForm, h) }

// forStudentUploads is forStudents for a form with files, which the handler reads.
func (p *Pages) forStudentUploads(h handler) guarded { return p.forUploads(Students, h) }

// forAdminUploads is forAdmins for a form with files, which the handler reads.
func (p *Pages) forAdminUploads(h handler) guarded { return p.forUploads(Admins, h) }

func (p *Pages) forUploads(to Audience, h handler) guarded {
	next := p.authorize(to, p.fromOurSite, h).serve
	return guarded{to, func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
		_, _ = io.CopyN(io.Discard, r.Body, maxPhotoForm) // browsers read the answer only after they have sent everything
	}}
}

// unguarded is a handler that looks at its viewer itself.
func (p *Pages) unguarded(h http.HandlerFunc) guarded { return guarded{Anybody, p.withViewer(h)} }

// anonymous is a handler that is the same for everybody and asks nobody who they are.
func anonymous(h http.HandlerFunc) guarded { return guarded{Anybody, h} }

// authorize checks the viewer and reads the form before a handler, and shows its error.
func (p *Pages) authorize(to Audience, read func(http.ResponseWriter, *http.Request) bool, h handler) guarded {
	return guarded{to, p.withViewer(func(w http.ResponseWriter, r *http.Request) {
		v := viewerOf(r)
		err := v.err
		if err == nil {
			err = to.admits(v.by)
		}
		if err == nil && r.Method == http.MethodPost && !read(w, r) {
			return
		}
		if err == nil {
			err = h(w, r, v.by)
		}
		if errors.Is(err, user.ErrProofNeeded) {
			err = p.askForProof(w, r, v.by)
		}
		switch {
		case err == nil:
		case errors.Is(err, user.ErrUnauthenticated):
			p.redirectToSignIn(w, r)
		case errors.Is(err, user.ErrProfileNeeded):
			_ = p.redirect(w, r, "/account", "profile") // cannot fail with a constant path
		default:
			p.handleError(w, r, err)
		}
	})}
}

// maxPhotoForm bounds a form with as many photos as a book may have.
const maxPhotoForm = photo.MaxPerBook*photo.MaxBytes + 1<<20
