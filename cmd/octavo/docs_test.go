package main

import (
	"strings"
	"testing"
)

func TestTheDocumentationIsInTheProgram(t *testing.T) {
	wrong := map[string]string{"PORT": "abc"} // the reader may be looking for the right value
	out, errs, code := octavo(t, wrong, "docs")
	for _, page := range []string{"\n  index ", "\n  operations ", "\n  recipes/proxy ", "\n  adr "} {
		if code != 0 || errs != "" || !strings.Contains(out, page) {
			t.Errorf("code %d: no %q in %s%s", code, page, out, errs)
		}
	}
	if strings.Contains(out, "adr/") || strings.Count(out, "\n") > 40 {
		t.Errorf("the list is long:\n%s", out)
	}
	for name, text := range map[string]string{
		"operations": "# Operating Octavo\n", "proxy": "# Behind nginx or Caddy", "docs/recipes/proxy.md": "# Behind nginx or Caddy", "adr": "# Decisions\n", "readme": "# Octavo\n",
	} {
		if out, errs, code := octavo(t, wrong, "docs", name); code != 0 || errs != "" || !strings.HasPrefix(out, text) {
			t.Errorf("%s: code %d\n%.200s%s", name, code, out, errs)
		}
	}
}

func TestAnUnknownPageIsAnsweredWithTheListOfPages(t *testing.T) {
	out, errs, code := octavo(t, nil, "docs", "kitchen")
	if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, `no page is called "kitchen"`) || !strings.Contains(errs, "operations, performance") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
	for _, near := range []string{"mark", "Markt"} {
		if _, errs, code := octavo(t, nil, "docs", near); code != 2 || !strings.Contains(errs, `did you mean "market"?`) || strings.Contains(errs, "performance") {
			t.Errorf("%s: code %d\n%s", near, code, errs)
		}
	}
	if _, errs, code := octavo(t, nil, "docs", "market", "mail"); code != 2 || !strings.Contains(errs, "unexpected argument mail") {
		t.Errorf("code %d\n%s", code, errs)
	}
}

func TestASectionOfAPageIsPrintedByItsAnchor(t *testing.T) {
	out, errs, code := octavo(t, nil, "docs", "operations#monitoring")
	if code != 0 || errs != "" || !strings.HasPrefix(out, "## Monitoring\n") || !strings.Contains(out, "OctavoDown") || strings.Contains(out, "Operating Octavo") || strings.Contains(out, "A first start") {
		t.Errorf("code %d\n%.300s%s", code, out, errs)
	}
	for name, says := range map[string]string{
		"operations#monitorng": `did you mean "operations#monitoring"?`, "operations#zzzzzzzzzzzzzzzz": "its sections are operating-octavo, ", "marke#fees": `did you mean "market"?`,
	} {
		if out, errs, code := octavo(t, nil, "docs", name); code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, says) {
			t.Errorf("%s: code %d\n%s%s", name, code, out, errs)
		}
	}
}

func TestTheHelpOfDocsIsNotTheListOfPages(t *testing.T) {
	for _, flag := range []string{"--help", "-h"} {
		if out, errs, code := octavo(t, nil, "docs", flag); code != 0 || !strings.Contains(out, "Usage: octavo docs") || strings.Contains(out, "recipes/proxy") {
			t.Errorf("code %d\n%s%s", code, out, errs)
		}
	}
}
