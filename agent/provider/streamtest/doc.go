// Package streamtest has streams as endpoints send them: a table of them, one row
// for each oddity that was met, and functions that write others for tests.
package streamtest
