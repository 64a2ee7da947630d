// Package argform makes a form of a tool call's arguments by their JSON schema,
// and reads it back.
package argform
