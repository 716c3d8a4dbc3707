package guardingpages

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/user"
)

// setupPages let owners put off what is left to set up.
func (p *Pages) setupPages() web.Feature {
	return web.Feature{Routes: []*web.Route{web.Post("/dashboard/setup", p.ForOwners(p.putOffSetup))}}
}

// setupView lists what an owner sets up before people can trade.
type setupView struct {
	Steps []setupStep
	Done  int
	Shown bool // something is left that the owner has not put off
}

// Open counts what is left.
func (v setupView) Open() int { return len(v.Steps) - v.Done }

// setupStep is something to set up.
type setupStep struct {
	name        string // in cookies
	Done        bool
	Label, Text string // when it is done, and before
	Path        string // of the page where it is done; "" for a setting
}

// backupLately is how old the last backup may be.
const backupLately = 2 * 24 * time.Hour

// setupFor lists the steps for an owner.
func (p *Pages) setupFor(r *http.Request, by user.Caller) (v setupView, err error) {
	if v.Steps, err = p.setupSteps(r, by); err != nil {
		return v, err
	}
	putOff := p.Cookies.PutOff(r)
	for _, s := range v.Steps {
		if s.Done {
			v.Done++
		} else if !slices.Contains(putOff, s.name) {
			v.Shown = true
		}
	}
	return v, nil
}

// setupSteps looks at what the program knows, of settings and of what is stored.
func (p *Pages) setupSteps(r *http.Request, by user.Caller) ([]setupStep, error) {
	missing, err := p.Market.Tradable.Anywhere(r.Context(), by)
	if err != nil {
		return nil, err
	}
	ruling, err := p.Market.Decisions.Of(r.Context(), by)
	if err != nil {
		return nil, err
	}
	var steps []setupStep
	if p.Handover().HasDesk() {
		steps = append(steps, setupStep{name: "desk", Done: !missing.Desk, Label: "Books are handed in at a desk.", Text: "There is no desk where books are handed in and picked up.", Path: web.DesksPath})
	}
	if p.Handover().Meets() {
		steps = append(steps, setupStep{name: "place", Done: !missing.Place, Label: "There is a place where buyers and sellers meet.", Text: "There is no place where buyers and sellers meet.", Path: web.PlacesPath})
	}
	if !p.PaysDirectly() { // somebody has to charge and pay
		steps = append(steps, setupStep{name: "staff", Done: !ruling.Alone(), Label: "Somebody beside you checks, charges and pays.", Text: "Nobody beside you may check books, charge buyers and pay sellers: make somebody an admin.", Path: "/dashboard/people"})
	} else {
		steps = append(steps, setupStep{name: "staff", Done: !ruling.Alone(), Label: "Somebody beside you answers reports.", Text: "Nobody beside you may answer reports: make somebody an admin.", Path: "/dashboard/people"})
	}
	return append(steps, p.surroundings()...), nil
}

// surroundings are the steps outside the pages.
func (p *Pages) surroundings() []setupStep {
	steps := []setupStep{
		{name: "support", Done: p.Support != "", Label: "Pages and mails name an address for questions.", Text: "There is no address for questions: pages and mails that say “ask us” name none. Set SUPPORT_MAIL."},
		{name: "https", Done: strings.HasPrefix(p.BaseURL, "https://"), Label: "Links in mails use HTTPS.", Text: "Links in mails do not use HTTPS. Set BASE_URL, and HTTPS=auto unless a proxy does that."},
	}
	if p.Setup == nil {
		return steps
	}
	known := p.Setup()
	return append(
		steps,
		setupStep{name: "mail", Done: known.SMTP, Label: "Mails are sent by your mail server.", Text: "Mails stay here: no mail server is named. Set SMTP_URL."},
		setupStep{
			name: "backup", Done: p.Market.Clock.Now().Sub(known.Backup) < backupLately, Label: "There is a backup of the last two days.",
			Text: "No backup of the last two days is known. Run octavo backup every day, or put this off if you make backups in another way.",
		},
	)
}

// putOffSetup serves POST /dashboard/setup: it hides the steps that are left, or shows them again.
func (p *Pages) putOffSetup(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	var names []string
	if r.PostForm.Get("show") == "no" {
		steps, err := p.setupSteps(r, by)
		if err != nil {
			return err
		}
		for _, s := range steps {
			if !s.Done {
				names = append(names, s.name)
			}
		}
	}
	p.Cookies.SetPutOff(w, names)
	return p.Redirect(w, r, "/dashboard", "")
}
