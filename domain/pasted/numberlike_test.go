package pasted_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/pasted"
)

// What LibreOffice 7 reads as a number or a date in one of six languages, and what it leaves alone.
func TestTextsThatASpreadsheetWouldChangeAreKnown(t *testing.T) {
	for _, cell := range []string{
		"18.10", "6.042", "1,5", "0123", "0", "007", "1E5", "1e-5", "12:30", "1/2", "3-4", "2.10.", "12.10.2026", "2026-09-07", "10 %", "$5", "5 €", "1 250", "1’250",
		"MAR 12", "SEP 1", "OCT 2024", "JAN-1", "MAI 3", "Mar 101", "1. März 2026", "12-DEC", "4 déc. 2026", "382822963990267818", "１２．５", "5.",
	} {
		if want := cell != "0"; pasted.ReadAsNumber(cell) != want {
			t.Errorf("%q is read as a number: %t, want %t", cell, !want, want)
		}
	}
	for _, cell := range []string{
		"", "1984", "101", "CSC 172", "MATH 165", "MARK 101", "Calculus 3", "3rd edition", "Catch-22", "2001: A Space Odyssey", "R", "C++", "978-0262033848x", "May", "The March of 1917",
		"SEPT", "Decision 5", "Junior 3",
	} {
		if pasted.ReadAsNumber(cell) {
			t.Errorf("%q is read as a number", cell)
		}
	}
}

func TestWhatIsGuardedComesBack(t *testing.T) {
	for cell, guarded := range map[string]string{
		"18.10": "'18.10", "'18.10": "''18.10", "MAR 12": "'MAR 12", "-1": "'-1", "1,-2": "'1,'-2", "=1+1": "'=1+1", "CSC 172": "CSC 172", "'90s": "'90s", "": "",
	} {
		if got := pasted.Guarded(cell); got != guarded {
			t.Errorf("%q becomes %q, want %q", cell, got, guarded)
		}
		if got := pasted.Unguarded(guarded); got != cell {
			t.Errorf("%q comes back as %q", cell, got)
		}
	}
}
