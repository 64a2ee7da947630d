package agent

import (
	"errors"
	"fmt"
)

// Code classifies a domain error. The web layer maps each code to one HTTP
// status; nothing in this package knows about HTTP.
type Code string

// The codes of all domain errors.
const (
	Invalid      Code = "invalid"
	NotFound     Code = "not_found"
	Conflict     Code = "conflict"
	Unauthorized Code = "unauthorized"
	Forbidden    Code = "forbidden"
	Unavailable  Code = "unavailable"
	Full         Code = "full" // the disk
	Internal     Code = "internal"
)

// FieldError names one field of bad input and what would be accepted.
type FieldError struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// Error is the only error type that crosses package borders with a meaning.
// Message is the one text a person may see; Err is only logged.
type Error struct {
	Code    Code
	Message string
	Fields  []FieldError
	// Standing is the current state, for a conflict that someone else won.
	Current any
	Err     error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error whose Message is safe to show. Wrap a cause with Wrap.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// InvalidField is the Error for one bad field.
func InvalidField(field, format string, args ...any) *Error {
	detail := fmt.Sprintf(format, args...)
	return &Error{
		Code:    Invalid,
		Message: field + ": " + detail,
		Fields:  []FieldError{{Field: field, Detail: detail}},
	}
}

// Wrap hides a cause behind a message that is safe to show.
func Wrap(code Code, err error, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.Err = err
	return e
}

// CodeOf returns the code of err, Internal for foreign errors and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// MessageOf returns the text of err that a person may see.
func MessageOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "Something went wrong on the server. It has been logged; please try again."
}

// What people are told where there is nothing of that id, or nothing that they may see.
const (
	NoRun          = "There is no such run."
	NoDocument     = "There is no such document."
	NoConversation = "This conversation doesn't exist or isn't yours."
)

// ErrActive is the cause of a Conflict with a run of the conversation that has not ended.
var ErrActive = errors.New("a run of the conversation is active")

// ErrStale is what a journal answers to an entry with an old fencing number:
// another process has taken the run over, this one must let go of it.
var ErrStale = &Error{Code: Conflict, Message: "another process has taken this run over"}

// ErrDecided is a journal's answer to a pause that came too late: someone
// has decided, or aborted, in the meantime.
var ErrDecided = &Error{Code: Conflict, Message: "a decision is waiting to be applied"}

// ErrTreeFull is a journal's answer to a child run that would be one too many in its tree.
var ErrTreeFull = &Error{Code: Conflict, Message: "the tree has as many runs as it may"}

// ErrRevoked is a journal's answer to the claim of a call whose basis is
// no longer hold: the rule was revoked, or who approved it lost the right.
var ErrRevoked = &Error{Code: Conflict, Message: "the authority for this call was revoked"}

// FieldErrors are the details of an error by field.
func FieldErrors(err error) map[string]string {
	out := map[string]string{}
	if e, ok := errors.AsType[*Error](err); ok {
		for _, f := range e.Fields {
			out[f.Field] = f.Detail
		}
	}
	return out
}
