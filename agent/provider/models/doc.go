// Package models reads the lists in which endpoints say what models they have.
//
// It imports nothing of this module but package wire.
package models
