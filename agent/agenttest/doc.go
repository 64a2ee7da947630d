// Package agenttest is what tests of the loop and of its journal share: a
// provider that plays a script, a clock that is set by hand, and the suite that
// the journal must pass. It imports agent and agent/service only.
package agenttest
