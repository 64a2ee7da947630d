// Package agenttest is what tests of the loop and of its journals share: a
// provider that plays a script, a clock that is set by hand, a journal in memory,
// and the suite that every journal must pass. It imports agent only.
package agenttest
