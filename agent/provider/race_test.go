//go:build race

package provider

// raceDetector says that everything takes ten times as long.
const raceDetector = true
