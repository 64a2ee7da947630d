package agent

import "slices"

// CallState is the state of a tool call.
type CallState string

// The states of a tool call.
const (
	CallValidating CallState = "validating"
	CallScheduled  CallState = "scheduled"
	CallAwaiting   CallState = "awaiting_approval"
	CallExecuting  CallState = "executing"
	CallSuccess    CallState = "success"
	CallError      CallState = "error"
	CallCancelled  CallState = "cancelled"
	CallUncertain  CallState = "uncertain"
)

// CallEvent is what moves a tool call from one state to the next.
type CallEvent string

// What happens to calls.
const (
	CallAsked     CallEvent = "asked"     // the model's answer is stored, with all its calls
	CallRefused   CallEvent = "refused"   // it cannot or must not run: schema, tool, deny rule, refused before, a guard
	CallAllowed   CallEvent = "allowed"   // by a rule, a scope, or because its effect needs no approval
	CallHeld      CallEvent = "held"      // a person is asked
	CallReleased  CallEvent = "released"  // a person allows it
	CallRejected  CallEvent = "rejected"  // a person does not
	CallAnswered  CallEvent = "answered"  // a person gives its result
	CallClaimed   CallEvent = "claimed"   // committed before the tool is touched
	CallStarted   CallEvent = "started"   // its program is stored, before that does anything
	CallReturned  CallEvent = "returned"  // the tool's result is stored
	CallUnchanged CallEvent = "unchanged" // polled outside the model, with nothing new
	CallLost      CallEvent = "lost"      // it is unknown whether it happened
	CallRepeated  CallEvent = "repeated"  // cut off, and safe to repeat
	CallShared    CallEvent = "shared"    // an equal call of its answer has ended: it was made once for both
	CallSkipped   CallEvent = "skipped"   // a person said something before it began
	CallEnded     CallEvent = "ended"     // its run ended first
)

type callTransition struct {
	from  CallState
	event CallEvent
	to    CallState
}

// callTransitions is the whole state machine of a tool call. The store refuses
// every change that is not in it, and makes each by compare-and-set on from, in
// one transaction with its events, audit rows and notifications. No transaction
// spans a call of a model or a tool.
var callTransitions = []callTransition{
	{"", CallAsked, CallValidating},

	{CallValidating, CallRefused, CallError},
	{CallValidating, CallAllowed, CallScheduled},
	{CallValidating, CallHeld, CallAwaiting},

	{CallAwaiting, CallReleased, CallScheduled},
	{CallAwaiting, CallRejected, CallError},
	{CallAwaiting, CallAnswered, CallSuccess},

	{CallScheduled, CallClaimed, CallExecuting},
	{CallScheduled, CallHeld, CallAwaiting}, // the re-check failed: its authority was revoked
	{CallScheduled, CallRefused, CallError}, // the re-check failed: it cannot be allowed

	{CallScheduled, CallShared, CallSuccess},
	{CallScheduled, CallShared, CallError},
	{CallScheduled, CallShared, CallCancelled},

	{CallValidating, CallSkipped, CallCancelled},
	{CallScheduled, CallSkipped, CallCancelled},

	{CallExecuting, CallStarted, CallExecuting},
	{CallExecuting, CallReturned, CallSuccess}, // also after a crash, where the tool knows by its key
	{CallExecuting, CallReturned, CallError},
	{CallExecuting, CallReturned, CallCancelled},
	{CallExecuting, CallUnchanged, CallScheduled},
	{CallExecuting, CallRepeated, CallScheduled}, // found after a crash: read-only or idempotent
	{CallExecuting, CallLost, CallUncertain},     // found after a crash, or timed out: anything else

	{CallUncertain, CallAnswered, CallSuccess},   // it happened
	{CallUncertain, CallReleased, CallScheduled}, // run it again, with the same key
	{CallUncertain, CallRejected, CallError},     // skip

	{CallValidating, CallEnded, CallCancelled},
	{CallAwaiting, CallEnded, CallCancelled},
	{CallScheduled, CallEnded, CallCancelled},
	{CallExecuting, CallEnded, CallCancelled},
	{CallUncertain, CallEnded, CallCancelled},
}

// Legal reports whether a call may make this change.
func (c CallChange) Legal() bool {
	return slices.Contains(callTransitions, callTransition{c.From, c.Event, c.Call.State})
}

// Ended reports whether the call has its one result.
func (s CallState) Ended() bool {
	return s == CallSuccess || s == CallError || s == CallCancelled
}
