//go:build cheaphash

package hashing

// MinCost is 4 in the program that the tests from outside build: they sign in thousands of
// times, and at cost 10 hashing took a third of their processor time. No released binary has
// this tag.
const MinCost = 4
