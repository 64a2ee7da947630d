// Package workflow says what comes next in a run that works by a workflow: which steps begin,
// what a person is asked, and the answer. It knows nothing but the definition and what has come
// of the run's calls, and keeps nothing: the same calls have the same next move.
//
// It imports the package agent only, and no other of ours.
package workflow
