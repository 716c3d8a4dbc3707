package scimhttp

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	pageLength = 100
	maxPage    = 200
	maxFilter  = 1000
)

type listAnswer struct {
	Schemas   []string `json:"schemas"`
	Total     int      `json:"totalResults"`
	Start     int      `json:"startIndex"`
	Length    int      `json:"itemsPerPage"`
	Resources []any    `json:"Resources"`
}

func newList(total, start int, all []any) listAnswer {
	return listAnswer{[]string{"urn:ietf:params:scim:api:messages:2.0:ListResponse"}, total, start, len(all), all}
}

// list serves GET /Users.
func (h *Handler) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f, err := parseFilter(q.Get("filter"))
	if err != nil {
		return err
	}
	start, err := number(q, "startIndex", 1)
	if err != nil {
		return err
	}
	count, err := number(q, "count", pageLength)
	if err != nil {
		return err
	}
	start, count = max(1, start), min(max(0, count), maxPage)
	found, total, err := h.people.List(r.Context(), f, start-1, count)
	if err != nil {
		return err
	}
	all := make([]any, len(found))
	for i, u := range found {
		all[i] = h.answer(u)
	}
	writeJSON(w, http.StatusOK, newList(total, start, all))
	return nil
}

func number(q url.Values, name string, missing int) (int, error) {
	if q.Get(name) == "" {
		return missing, nil
	}
	n, err := strconv.ParseInt(q.Get(name), 10, 32)
	if err != nil {
		return 0, errValue.WithMsg(name + " is not a number.")
	}
	return int(n), nil
}

// equality is the one form of a filter by which directories look for a person.
var equality = regexp.MustCompile(`(?i)^\s*\(?\s*(?:urn:ietf:params:scim:schemas:core:2\.0:User:)?(userName|externalId|id|emails(?:\[type eq "work"\])?(?:\.value)?)\s+eq\s+("(?:[^"\\]|\\.)*")\s*\)?\s*$`)

func parseFilter(filter string) (f account.PersonFilter, err error) {
	if filter == "" {
		return f, nil
	}
	parts := equality.FindStringSubmatch(filter)
	if len(filter) > maxFilter || parts == nil {
		return f, errFilter
	}
	var value string
	if err := json.Unmarshal([]byte(parts[2]), &value); err != nil || !text.Storable(value) {
		return f, errFilter
	}
	switch strings.ToLower(parts[1]) {
	case "externalid":
		f.ExternalID, f.None = value, value == ""
	case "id":
		n, ok := id.Parse(value)
		f.ID, f.None = user.ID(n), !ok
	default:
		f.Email, err = user.ParseEmail(value)
		f.None = err != nil
	}
	return f, nil
}
