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

// Handler serves a page to an authorized viewer. An error is shown on a page of its
// own.
type Handler func(w http.ResponseWriter, r *http.Request, by user.Caller) error

// guarded is a handler with who may use it.
type guarded struct {
	audience Audience
	Serve    http.HandlerFunc
}

// ForAnybody restricts a page to an audience, as ForMembers, ForStudents, ForAdmins and ForOwners do. They restrict a page to an audience and
// parse its form. Other viewers are sent to sign in or shown what they lack.
func (p *Pages) ForAnybody(h Handler) guarded { return p.Authorize(Anybody, p.ReadForm, h) }

// ForMembers lets everybody pass who is signed in.
func (p *Pages) ForMembers(h Handler) guarded { return p.Authorize(Members, p.ReadForm, h) }

// ForStudents lets those pass who have a student profile.
func (p *Pages) ForStudents(h Handler) guarded { return p.Authorize(Students, p.ReadForm, h) }

// ForStudentsUpTo is ForStudents for a form of a size.
func (p *Pages) ForStudentsUpTo(most int64, h Handler) guarded {
	return p.Authorize(Students, func(w http.ResponseWriter, r *http.Request) bool {
		return p.fromOurSite(w, r) && p.ParseFormUpTo(w, r, most)
	}, h)
}

// ForAdmins lets admins and owners pass.
func (p *Pages) ForAdmins(h Handler) guarded { return p.Authorize(Admins, p.ReadForm, h) }

// ForOwners lets owners pass.
func (p *Pages) ForOwners(h Handler) guarded { return p.Authorize(Owners, p.ReadForm, h) }

// ForStudentUploads is ForStudents for a form with files, which the handler reads.
func (p *Pages) ForStudentUploads(h Handler) guarded { return p.forUploads(Students, h) }

// ForAdminUploads is ForAdmins for a form with files, which the handler reads.
func (p *Pages) ForAdminUploads(h Handler) guarded { return p.forUploads(Admins, h) }

func (p *Pages) forUploads(to Audience, h Handler) guarded {
	next := p.Authorize(to, p.fromOurSite, h).Serve
	return guarded{to, func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
		_, _ = io.CopyN(io.Discard, r.Body, MaxPhotoForm) // browsers read the answer only after they have sent everything
	}}
}

// Unguarded is a handler that looks at its viewer itself.
func (p *Pages) Unguarded(h http.HandlerFunc) guarded { return guarded{Anybody, p.withViewer(h)} }

// Anonymous is a handler that is the same for everybody and asks nobody who they are.
func Anonymous(h http.HandlerFunc) guarded { return guarded{Anybody, h} }

// Authorize checks the viewer and reads the form before a handler, and shows its error.
func (p *Pages) Authorize(to Audience, read func(http.ResponseWriter, *http.Request) bool, h Handler) guarded {
	return guarded{to, p.withViewer(func(w http.ResponseWriter, r *http.Request) {
		v := ViewerOf(r)
		err := v.err
		if err == nil {
			err = to.admits(v.By)
		}
		if err == nil && r.Method == http.MethodPost && !read(w, r) {
			return
		}
		if err == nil {
			err = h(w, r, v.By)
		}
		if errors.Is(err, user.ErrProofNeeded) {
			err = p.AskForProof(w, r, v.By)
		}
		switch {
		case err == nil:
		case errors.Is(err, user.ErrUnauthenticated):
			p.redirectToSignIn(w, r)
		case errors.Is(err, user.ErrProfileNeeded):
			_ = p.Redirect(w, r, "/account", "profile") // cannot fail with a constant path
		default:
			p.HandleError(w, r, err)
		}
	})}
}

// MaxPhotoForm bounds a form with as many photos as a book may have.
const MaxPhotoForm = photo.MaxPerBook*photo.MaxBytes + 1<<20
