// Package child reads the files of documents in a child process, which is this program once
// more, behind walls and with limits: a file that breaks its reader, or that never ends, hurts
// nothing else.
package child
