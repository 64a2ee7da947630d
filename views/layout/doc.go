// Package layout holds the frames around every page: the shell with the
// sidebar, and the bare frame of login, setup and errors. It imports views/part
// and the texts, and nothing else of ours.
package layout
