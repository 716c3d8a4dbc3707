package inbox_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/inbox"
)

// keys returns the keys of the rules in a text.
func keys(t *testing.T, text string) (list []string) {
	t.Helper()
	rules, err := inbox.ParseForwards(text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
	}
	for _, rule := range rules {
		list = append(list, rule.Key())
	}
	return list
}

func TestOneSettingHoldsAnyNumberOfRules(t *testing.T) {
	const (
		a = "push=http://127.0.0.1:9000/a"
		b = "issues.opened=https://b.example/?token=x=y"
		c = "*=http://[::1]:9000/"
	)
	for _, separator := range []string{" ", "\n", ",", ", ", " , ", ",\n\t", "\r\n", ",,"} {
		for _, around := range []string{"", " ", "\n", ","} {
			text := around + strings.Join([]string{a, b, c}, separator) + around
			if got := keys(t, text); !slices.Equal(got, []string{a, b, c}) {
				t.Errorf("%q holds %q", text, got)
			}
		}
	}
}

func TestACommaInAURLBelongsToTheURL(t *testing.T) {
	for _, url := range []string{
		"http://127.0.0.1/?ids=1,2,3", "http://127.0.0.1/a,b/c?x=1,y=2&z=,", "http://127.0.0.1/?status=open,push=1",
		"http://127.0.0.1/?to=http://x/,a&b=http://y/", "http://127.0.0.1/?next=%2Cpush=http://x/",
	} {
		want := "push=" + strings.TrimRight(url, ",")
		if got := keys(t, "push="+url); !slices.Equal(got, []string{want}) {
			t.Errorf("%q is read as %q", url, got)
		}
		if got := keys(t, "push="+url+",issues=http://127.0.0.1/"); !slices.Equal(got, []string{want, "issues=http://127.0.0.1/"}) {
			t.Errorf("%q and another are read as %q", url, got)
		}
	}
}

func TestAMistakeInASecondRuleIsNotReadAsPartOfTheFirstURL(t *testing.T) {
	mistyped := []string{"push=http://127.0.0.1/", "isues=http://127.0.0.1/"} // could be a future event: the service only warns
	if got := keys(t, strings.Join(mistyped, ",")); !slices.Equal(got, mistyped) {
		t.Errorf("read %q, want %q", got, mistyped)
	}
	for text, want := range map[string]string{
		"push=http://127.0.0.1/,issues=htp://127.0.0.1/": `"htp://127.0.0.1/"`,
		"push=http://127.0.0.1/ issues":                  `"issues"`,
		"push=http://127.0.0.1/\nhttp://127.0.0.1/":      "match=url",
		"push=http://127.0.0.1/,Issues=http://127.0.0.1": `"Issues"`,
		"":    "match=url",
		" , ": "match=url",
	} {
		if _, err := inbox.ParseForwards(text); !errors.Is(err, inbox.ErrRule) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Joined rules are parsed back into the same rules, whatever the separator.
func FuzzForwards(f *testing.F) {
	for _, text := range []string{
		"push=http://a/,issues.opened=https://b/?x=1,y=2 *=http://c/", "push=http://a/?u=,,push=http://b,\n", ",push=http://a,,", "push=http://a/?=,*=http://b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := inbox.ParseForwards(text)
		if err != nil {
			return
		}
		var texts []string
		for _, rule := range rules {
			if strings.ContainsAny(rule.URL, " \t\r\n") || strings.HasSuffix(rule.URL, ",") {
				t.Errorf("%q has the URL %q", text, rule.URL)
			}
			texts = append(texts, rule.Key())
		}
		for _, separator := range []string{" ", "\n", ",", ", "} {
			again, err := inbox.ParseForwards(strings.Join(texts, separator))
			if err != nil || !reflect.DeepEqual(again, rules) {
				t.Errorf("%q is parsed as %+v, then as %+v, %v", text, rules, again, err)
			}
		}
	})
}
