package user_test

import (
	"errors"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestNobodyDecidesAboutTheirOwnAffair(t *testing.T) {
	affair := user.Affair{University: "Yale University", Parties: []user.ID{1, 0, 2}}
	admin := user.Staff{ID: 8, Role: user.Admin, University: "yale  university"}
	elsewhere, owner, own := user.Staff{ID: 9, Role: user.Admin, University: "École"}, user.Staff{ID: 7, Role: user.Owner}, user.Staff{ID: 1, Role: user.Owner}
	for name, test := range map[string]struct {
		by           user.Caller
		staff        []user.Staff
		alone, right bool
	}{
		"a stranger":                              {user.Caller{ID: 5, Role: user.Admin}, []user.Staff{admin}, false, true},
		"nobody is no party":                      {user.Caller{Role: user.Admin}, nil, false, true},
		"an admin":                                {user.Caller{ID: 1, Role: user.Admin}, nil, false, false},
		"an owner beside an admin":                {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{own, admin}, false, false},
		"an owner beside an admin of elsewhere":   {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{elsewhere}, false, false},
		"an owner beside an owner":                {user.Caller{ID: 2, Role: user.Owner}, []user.Staff{own, owner}, false, false},
		"an owner alone":                          {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{own}, true, true},
		"an owner of a campus beside an admin":    {user.Caller{ID: 1, Role: user.Owner, CampusOnly: true}, []user.Staff{own, admin}, false, false},
		"an owner of a campus beside an owner":    {user.Caller{ID: 1, Role: user.Owner, CampusOnly: true}, []user.Staff{owner}, false, false},
		"an owner whose campus has no admin":      {user.Caller{ID: 1, Role: user.Owner, CampusOnly: true}, []user.Staff{own, elsewhere}, true, true},
		"an admin whose campus has nobody else":   {user.Caller{ID: 1, Role: user.Admin, CampusOnly: true}, []user.Staff{elsewhere}, false, false},
		"a user beside the owner who is no staff": {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{{ID: 3}}, true, true},
	} {
		alone, err := affair.CheckDecision(test.by, test.staff)
		if alone != test.alone || (err == nil) != test.right || err != nil && !errors.Is(err, user.ErrOwnAffair) {
			t.Errorf("%s: alone %t, %v", name, alone, err)
		}
	}
	if more := affair.With(5); !more.Involves(5) || affair.Involves(5) || more.Involves(0) {
		t.Errorf("%v with 5 is %v", affair, more)
	}
}
