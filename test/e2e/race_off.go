//go:build !race

package e2e

// raceDetector says that the program is built as these tests are.
const raceDetector = false
