// Package markdown renders what models write as safe HTML, whole or while it is
// being written.
package markdown
