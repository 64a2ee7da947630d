// Package eventlog is the append-only log of events, numbered within each conversation:
// log.go appends to it within a change and replays it, lane.go joins what many runs
// stream at once into few writes.
//
// It imports agent and sqlite. Of the other tables it knows the number of a conversation's
// last event, and who owns a run: it refuses what comes from a process that has lost it.
package eventlog
