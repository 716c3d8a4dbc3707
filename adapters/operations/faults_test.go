package operations

import (
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"
)

func TestTheNewestErrorsOfTheLogAreRemembered(t *testing.T) {
	log := RememberFaults(slog.New(slog.NewTextHandler(io.Discard, nil)))
	log.Warn("not an error")
	for n := range maxFaults + 5 {
		log.With("x", 1).Error("fault "+strconv.Itoa(n), "error", errors.New("no disk"), "request_id", "ABC")
	}
	all := FaultsOf(log).List()
	if len(all) != maxFaults || all[0].Message != "fault 14" || all[0].Error != "no disk" || all[0].RequestID != "ABC" || all[maxFaults-1].Message != "fault 5" {
		t.Errorf("remembered are %+v", all)
	}
	if w := get(FaultsOf(slog.New(slog.DiscardHandler))); strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("without errors: %s", w.Body)
	}
}
