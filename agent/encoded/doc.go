// Package encoded reads the text of files that are not written in UTF-8, and writes it as it
// was: in the same encoding, with the same byte order mark. It knows bytes, and no files.
package encoded
