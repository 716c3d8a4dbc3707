package contract

import "testing"

func marketSearch(t *testing.T, open func(*testing.T) *Bazaar) {}
