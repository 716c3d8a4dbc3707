package scimhttp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
)

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User"

// resource is a user as a directory sends it. Attributes that Octavo does not store are ignored.
type resource struct {
	UserName    *string         `json:"userName"`
	ExternalID  *string         `json:"externalId"`
	DisplayName *string         `json:"displayName"`
	Language    *string         `json:"preferredLanguage"`
	Name        *name           `json:"name"`
	Active      json.RawMessage `json:"active"`
}

type name struct {
	Formatted  *string `json:"formatted,omitempty"`
	GivenName  *string `json:"givenName,omitempty"`
	FamilyName *string `json:"familyName,omitempty"`
}

// apply takes over the attributes that are there.
func (in resource) apply(p *user.Person) error {
	if in.UserName == nil {
		return errValue.WithMsg("userName is missing.")
	}
	p.Email = *in.UserName
	take(&p.ExternalID, in.ExternalID)
	if in.Language != nil {
		p.Lang = language(*in.Language)
	}
	if in.Name != nil {
		in.Name.apply(p)
	}
	if in.DisplayName != nil && *in.DisplayName != "" {
		p.Name = *in.DisplayName
	}
	if len(in.Active) == 0 || string(in.Active) == "null" {
		return nil
	}
	var active any
	if err := json.Unmarshal(in.Active, &active); err != nil {
		return errSyntax
	}
	return setActive(p, active)
}

// apply takes over a name. Without one of its own, a person is called by the parts.
func (n name) apply(p *user.Person) {
	before := joined(*p)
	take(&p.GivenName, n.GivenName)
	take(&p.FamilyName, n.FamilyName)
	switch {
	case n.Formatted != nil && *n.Formatted != "":
		p.Name = *n.Formatted
	case p.Name == "" || p.Name == before:
		p.Name = joined(*p)
	}
}

func joined(p user.Person) string { return strings.TrimSpace(p.GivenName + " " + p.FamilyName) }

func take(to, from *string) {
	if from != nil {
		*to = *from
	}
}

// language returns the language of a tag such as fr-CA; the core ignores others than its own.
func language(tag string) user.Lang {
	short, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	return user.Lang(short)
}

// setActive also takes the strings that Entra sends.
func setActive(p *user.Person, v any) error {
	switch active := v.(type) {
	case bool:
		p.Active = active
		return nil
	case string:
		if yes := strings.EqualFold(active, "true"); yes || strings.EqualFold(active, "false") {
			p.Active = yes
			return nil
		}
	}
	return errValue.WithMsg("active is neither true nor false.")
}

// answer is a user as Octavo answers it.
type answer struct {
	Schemas     []string `json:"schemas"`
	ID          string   `json:"id"`
	ExternalID  string   `json:"externalId,omitempty"`
	UserName    string   `json:"userName"`
	Name        *name    `json:"name,omitempty"`
	DisplayName string   `json:"displayName,omitempty"`
	Language    string   `json:"preferredLanguage,omitempty"`
	Emails      []email  `json:"emails"`
	Active      bool     `json:"active"`
	Meta        meta     `json:"meta"`
}

type email struct {
	Value   string `json:"value"`
	Type    string `json:"type"`
	Primary bool   `json:"primary"`
}

type meta struct {
	Type     string `json:"resourceType"`
	Created  string `json:"created,omitempty"`
	Location string `json:"location"`
	Version  string `json:"version,omitempty"`
}

func (h *Handler) answer(u user.User) answer {
	p := u.Person()
	out := answer{
		Schemas: []string{userSchema}, ID: u.ID.String(), ExternalID: p.ExternalID, UserName: p.Email, DisplayName: p.Name,
		Language: string(p.Lang),
		Emails:   []email{{p.Email, "work", true}}, Active: p.Active,
		Meta: meta{"User", u.CreatedAt.UTC().Format(time.RFC3339), h.BaseURL + usersPath + "/" + u.ID.String(), version(p)},
	}
	if p.GivenName != "" || p.FamilyName != "" {
		out.Name = &name{&p.Name, &p.GivenName, &p.FamilyName}
	}
	return out
}

func (h *Handler) write(w http.ResponseWriter, status int, u user.User) {
	out := h.answer(u)
	w.Header().Set("ETag", out.Meta.Version)
	w.Header().Set("Location", out.Meta.Location)
	writeJSON(w, status, out)
}

// version is the weak ETag of a person.
func version(p user.Person) string {
	text, _ := json.Marshal(p)
	sum := sha256.Sum256(text)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// matches returns account.ErrVersion if a request is for other versions of the person. All ETags here are weak, so
// they are compared weakly, as those of RFC 7644, section 3.14, are.
func matches(r *http.Request, p user.Person) error {
	if r.Header.Get("If-Match") != "" && !httpx.HasETag(r.Header.Values("If-Match"), version(p)) {
		return account.ErrVersion
	}
	return nil
}
