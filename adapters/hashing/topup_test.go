package hashing

import (
	"testing"
	"time"
)

func TestACheapHashOfAnotherProgramTakesAsLongAsOneOfTodaysCost(t *testing.T) {
	const cheapest = time.Millisecond
	for _, cost := range []int{10, 12, 15} {
		today := cheapest << (cost - 4)
		for _, spent := range []time.Duration{0, cheapest / 3, 7 * cheapest, today / 2, today - 1, today, 3 * today} {
			worked := spent
			for _, c := range topUp(spent, cheapest, cost) {
				worked += cheapest << (c - 4)
			}
			if short := max(today, spent) - worked; short < 0 || short >= cheapest {
				t.Errorf("cost %d, %v spent: %v in all, %v wanted", cost, spent, worked, max(today, spent))
			}
		}
	}
}
